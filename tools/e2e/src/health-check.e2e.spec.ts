import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { eventually, freePort, ProgramProcess, scratchFolder } from '@rampart/testing';
import { DEPLOY } from './containers/host.js';
import { type ReachablePostgres, startReachablePostgres } from './containers/reachable-postgres.js';

jest.setTimeout(120_000);

const root = mkdtempSync(join(scratchFolder(), 'rampart-health-'));
let postgres: ReachablePostgres;
let management: ProgramProcess | undefined;
let url: string;

beforeAll(async () => {
  postgres = await startReachablePostgres(join(root, 'postgres'), '127.0.0.1');
  url = `http://127.0.0.1:${await freePort()}`;
});
afterAll(async () => {
  await management?.stop();
  await postgres?.stop();
  rmSync(root, { recursive: true, force: true });
});

/** What the HEALTHCHECK of the image of management finds. */
async function healthCheck(): Promise<{ healthy: boolean; said: string }> {
  const check = spawn(process.execPath, [join(DEPLOY, 'health.mjs'), 'management'], {
    env: { RAMPART_PORT: new URL(url).port },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [said, [code]] = await Promise.all([text(check.stderr), once(check, 'close')]);
  return { healthy: code === 0, said: said.trim() };
}

const ready = async (): Promise<{ status: number; parts: Record<string, { status: string }> }> => {
  const answer = await fetch(`${url}/health/ready`);
  return {
    status: answer.status,
    parts: ((await answer.json()) as { parts: Record<string, { status: string }> }).parts,
  };
};

describe('the HEALTHCHECK of the images', () => {
  it('management is unhealthy until its database is ready, and healthy while only its database is away', async () => {
    expect(await healthCheck()).toEqual({ healthy: false, said: expect.stringContaining('ECONNREFUSED') });
    management = new ProgramProcess('management', {
      RAMPART_HOST: '127.0.0.1',
      RAMPART_PORT: new URL(url).port,
      RAMPART_DATA_DIR: join(root, 'management'),
      RAMPART_PUBLIC_URL: url,
      DATABASE_URL: postgres.url,
    });
    await eventually('management is healthy', async (saw) => saw(await healthCheck()).healthy, 30_000);
    // Whoever waited for that finds a database that works; the connection for locks of nodes follows in a moment.
    expect((await ready()).parts).toMatchObject({ database: { status: 'ok' } });
    await eventually('management is ready', async (saw) => saw(await ready()).status === 200, 30_000);

    await postgres.stop();
    const without = await eventually(
      'management misses its database',
      async () => {
        const found = await ready();
        return found.status === 503 && found;
      },
      30_000,
    );
    expect(without.parts).toMatchObject({ database: { status: 'unavailable' } });
    expect(await healthCheck()).toEqual({ healthy: true, said: '' });
  });
});
