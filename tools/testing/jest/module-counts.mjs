import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const DIST = join(dirname(fileURLToPath(import.meta.url)), '../../../dist');

/** Where the duration of every test file is written, as JSON. */
export const TEST_TIMES = join(DIST, 'test-times.json');

/** Where each test file appends how many files it has loaded, while a run lasts. */
export const MODULE_COUNTS = join(DIST, 'test-modules.ndjson');

export function resetModuleCounts() {
  mkdirSync(DIST, { recursive: true });
  rmSync(MODULE_COUNTS, { force: true });
}

/** The number of loaded files by test file; a file whose worker was killed is missing. */
export function takeModuleCounts() {
  const lines = readFileSync(MODULE_COUNTS, { encoding: 'utf8', flag: 'a+' }).split('\n').filter(Boolean);
  rmSync(MODULE_COUNTS, { force: true });
  return new Map(lines.map((line) => JSON.parse(line)));
}
