// `npm run test:long`: what takes minutes for each file, at the size that a release needs. Arguments go to jest in place of the list.
import { randomInt } from 'node:crypto';
import { installPrograms, runJest } from './jest.mjs';
import { prepare } from './prepare.mjs';
import { main, step } from './steps.mjs';

/** The images and what operators do with them, two minutes of chaos, and all clients with every kind of inbound. */
const FILES = [
  'containers\\.e2e',
  'compose\\.e2e',
  'systemd\\.e2e',
  'node-upgrade\\.e2e',
  'chaos\\.e2e',
  'matrix\\.e2e',
];

const chosen = process.argv.slice(2);
const seed = process.env['RAMPART_CHAOS_SEED'] ?? String(randomInt(1_000_000));

await main(async () => {
  await prepare({ bundles: ['management', 'node'] });
  await step('Installing the engine and the test clients', installPrograms);
  process.stdout.write(`RAMPART_CHAOS_SEED=${seed} repeats the order of faults and changes of this run\n`);
  await runJest(chosen.length > 0 ? chosen : FILES, {
    RAMPART_TEST_LONG: 'true',
    RAMPART_CHAOS_SEED: seed,
    RAMPART_CHAOS_SECONDS: process.env['RAMPART_CHAOS_SECONDS'] ?? '120',
    RAMPART_MATRIX_CELLS: process.env['RAMPART_MATRIX_CELLS'] ?? 'all',
  });
});
