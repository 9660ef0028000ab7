import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { NODE_VERSION } from './node.version.js';

describe('NODE_VERSION', () => {
  it('is the version in package.json', () => {
    const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
    expect(NODE_VERSION).toBe(version);
  });
});
