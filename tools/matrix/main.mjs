// `npm run matrix`: every cell of the table in docs/clients.md with every client. An argument chooses cells by a pattern.
import { prepare } from '../quickstart/prepare.mjs';
import { main, run, step } from '../quickstart/steps.mjs';

const node = process.execPath;

await main(async () => {
  await prepare();
  await step('Installing the engine and the test clients', () =>
    run(node, ['tools/engine/dist/main.js', '--all-for-tests'], { show: true }),
  );
  const jest = ['--experimental-vm-modules', '--no-warnings', 'node_modules/jest/bin/jest.js'];
  await run(node, [...jest, 'tools/matrix/src/matrix.e2e.spec.ts'], {
    env: { RAMPART_MATRIX_CELLS: process.argv[2] ?? 'all' },
    show: true,
  });
});
