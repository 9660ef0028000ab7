// `npm run matrix`: every cell of the table in docs/clients.md with every client. An argument chooses cells by a pattern.
import { installPrograms, runJest } from '../quickstart/jest.mjs';
import { prepare } from '../quickstart/prepare.mjs';
import { main, step } from '../quickstart/steps.mjs';

await main(async () => {
  await prepare();
  await step('Installing the engine and the test clients', installPrograms);
  await runJest(['tools/matrix/src/matrix.e2e.spec.ts'], { RAMPART_MATRIX_CELLS: process.argv[2] ?? 'all' });
});
