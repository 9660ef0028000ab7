import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { loadState, saveState } from './state.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rampart-state-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe(loadState.name, () => {
  it('creates new keys once, in a file that only its owner can read', () => {
    const dataDir = join(folder, 'not/yet');
    const first = loadState(dataDir);
    expect(first).toEqual({
      nodeApiKey: expect.stringMatching(/^[\w-]{24}$/),
      adminPassword: expect.stringMatching(/^[\w-]{24}$/),
    });
    expect(first.nodeApiKey).not.toBe(first.adminPassword);
    expect(loadState(dataDir)).toEqual(first);
    expect(readdirSync(dataDir)).toEqual(['quick-start.json']);
    expect(statSync(join(dataDir, 'quick-start.json')).mode & 0o777).toBe(0o600);
  });

  it('returns what saveState stored', () => {
    const { adminPassword: _, ...kept } = loadState(folder);
    saveState(folder, { ...kept, subscriptionPath: '/sub/token' });
    expect(loadState(folder)).toEqual({ ...kept, subscriptionPath: '/sub/token' });
  });

  it('names a damaged file and does not change it', () => {
    const file = join(folder, 'quick-start.json');
    writeFileSync(file, '{');
    expect(() => loadState(folder)).toThrow(`Cannot read ${file} (`);
    expect(() => loadState(folder)).toThrow('): restore it, or set RAMPART_DATA_DIR to another folder.');
    expect(readFileSync(file, 'utf8')).toBe('{');
  });
});

describe(saveState.name, () => {
  it('names the setting of a folder that cannot be created', () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    const state = { nodeApiKey: 'key' };
    expect(() => saveState(join(file, 'data'), state)).toThrow(`Cannot write ${join(file, 'data/quick-start.json')} (`);
    expect(() => saveState(join(file, 'data'), state)).toThrow(
      '): set RAMPART_DATA_DIR to a folder that you may write to.',
    );
  });
});
