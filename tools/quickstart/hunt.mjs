// `npm run hunt`: runs some tests again and again beside busy loops, and tells which failed how often, and with what.
import { spawn } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { installPrograms, JEST } from './jest.mjs';
import { prepare } from './prepare.mjs';
import { failedTests, tableOfFailures } from './src/hunt-results.mjs';
import { main, root, StepError, step } from './steps.mjs';

const HELP = `Usage: npm run hunt -- PATTERN [PATTERN ...] [--times 50] [--busy 2] [-t TITLE]

Runs the test files whose paths match again and again, and prints a table of what failed. The output of each run with a
failure, with that of the programs that its tests started, stays in dist/hunt.

  --times  number of runs (50)
  --busy   number of busy loops beside them (2)
  -t       only tests whose titles match this regular expression
`;

const FOLDER = join(root, 'dist/hunt');

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    times: { type: 'string', default: '50' },
    busy: { type: 'string', default: '2' },
    title: { type: 'string', short: 't' },
    help: { type: 'boolean' },
  },
});
const [times, busy] = [Number(values.times), Number(values.busy)];

if (values.help) process.stdout.write(HELP);
else
  await main(async () => {
    if (positionals.length === 0) throw new StepError(`Name the test files.\n\n${HELP}`);
    if (!(Number.isInteger(times) && times > 0))
      throw new StepError(`--times takes a number from 1, not ${values.times}`);
    if (!(Number.isInteger(busy) && busy >= 0)) throw new StepError(`--busy takes a number from 0, not ${values.busy}`);
    await prepare({ bundles: ['management', 'node'] });
    await step('Installing the engine and the test clients', installPrograms);
    await rm(FOLDER, { recursive: true, force: true });
    await mkdir(FOLDER, { recursive: true });
    const loops = Array.from({ length: busy }, () => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }));
    const runs = [];
    try {
      for (let number = 1; number <= times; number += 1) {
        const { failed, seconds } = await runOnce(number);
        runs.push(failed);
        process.stdout.write(`run ${number} of ${times}: ${failed.length} failed in ${seconds.toFixed(0)} s\n`);
      }
    } finally {
      for (const loop of loops) loop.kill();
    }
    const { failedRuns, table } = tableOfFailures(runs);
    process.stdout.write(
      `\n${failedRuns} of ${times} runs failed beside ${busy} busy loops.\n${table}${failedRuns > 0 ? `The output of these runs is in ${relative(root, FOLDER)}.\n` : ''}`,
    );
    if (failedRuns > 0) process.exitCode = 1;
  });

/** Returns the names of the tests that failed, each with the first line of its error, and how long the run took. */
async function runOnce(number) {
  const results = join(FOLDER, 'results.json');
  const began = performance.now();
  const options = [
    '--json',
    `--outputFile=${results}`,
    '--silent=false',
    ...(values.title ? ['-t', values.title] : []),
  ];
  const output = await outputOf([...options, ...positionals]);
  const seconds = (performance.now() - began) / 1000;
  const text = await readFile(results, 'utf8').catch(() => undefined);
  await rm(results, { force: true });
  if (text === undefined) throw new StepError(`Jest ended without results:\n${output}`);
  const answer = JSON.parse(text);
  if (answer.numTotalTests === 0) throw new StepError('No test has such a title.');
  const failed = failedTests(root, answer);
  if (failed.length > 0) await writeFile(join(FOLDER, `${String(number).padStart(3, '0')}.log`), output);
  return { failed, seconds };
}

function outputOf(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...JEST, ...args], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    const chunks = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => chunks.push(chunk));
    child.once('error', reject);
    child.once('close', () => resolve(Buffer.concat(chunks)));
  });
}
