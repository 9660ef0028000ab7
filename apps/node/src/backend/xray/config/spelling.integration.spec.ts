import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { readConfig } from '@rampart/core-config';
import { enginePath, OFFERED_CONFIGS, REALISTIC_CONFIGS } from '@rampart/testing';

/** Members that the engine reads as maps, whose keys are case-sensitive. */
const MAPS = ['header', 'headers', 'hosts', 'levels', 'attrs'];

/** The same value with every key in another case, except for those in maps. */
function respelled(value: unknown, respell: (key: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => respelled(item, respell));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.map(([key, item]) => [respell(key), MAPS.includes(key) ? item : respelled(item, respell)]),
  );
}

const scratch = mkdtempSync(join(tmpdir(), 'rampart-spelling-'));
afterAll(() => rmSync(scratch, { recursive: true }));

/** Returns the configuration as the engine compiles it to protobuf; undefined when the engine refuses it. */
function compiled(config: unknown): string | undefined {
  const file = join(scratch, 'config.pb');
  const input = JSON.stringify(config);
  const { status } = spawnSync(enginePath(), ['convert', 'pb', '-o', file, 'stdin:'], { input, env: {} });
  return status === 0 ? readFileSync(file, 'base64') : undefined;
}

describe('the case of keys', () => {
  it.each<[string, (key: string) => string]>([
    ['upper case', (key) => key.toUpperCase()],
    ['lower case', (key) => key.toLowerCase()],
    // Letters that Go takes for an s and a k.
    ['the long s and the Kelvin sign', (key) => key.replaceAll('s', 'ſ').replaceAll('k', '\u212a')],
  ])(
    'keys in %s are read to the same configuration by the engine and by us',
    (_, respell) => {
      let compared = 0;
      for (const config of [...REALISTIC_CONFIGS, ...OFFERED_CONFIGS]) {
        const expected = compiled(config);
        // Management accepts transports and files that the engine does not.
        if (expected === undefined) continue;
        compared += 1;
        const sent = respelled(config, respell);
        expect(compiled(sent)).toBe(expected);
        const { tree, inbounds } = readConfig(sent);
        expect(compiled(tree)).toBe(expected);
        const read = inbounds.map(({ tree: _tree, ...fields }) => fields);
        expect(read).toEqual(readConfig(config).inbounds.map(({ tree: _tree, ...fields }) => fields));
      }
      expect(compared).toBeGreaterThan(20);
    },
    120_000,
  );
});
