import { describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { checkServer } from './server-check.js';

/** A stand-in for a server of this version, because no old server is installed where the tests run. */
const serverOf = (version: string, number: number): DataSource =>
  Object.assign(Object.create(null), { query: async () => [{ version, number }] });

describe(checkServer.name, () => {
  it('refuses PostgreSQL before version 14', async () => {
    await expect(checkServer(serverOf('13.23 (Debian)', 130_023), 'DATABASE_URL')).rejects.toThrow(
      'DATABASE_URL: the server is PostgreSQL 13.23 (Debian), and Rampart needs PostgreSQL 14 or newer',
    );
  });

  it.each([
    ['14.0', 140_000],
    ['17.5', 170_005],
  ])('accepts PostgreSQL %s', async (version, number) => {
    await expect(checkServer(serverOf(version, number), 'DATABASE_URL')).resolves.toBeUndefined();
  });
});
