// `npm run hunt`: runs some tests again and again beside busy loops, and tells which failed how often, and with what.
import { spawn } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { installPrograms, JEST } from './jest.mjs';
import { prepare } from './prepare.mjs';
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
    const failures = new Map();
    let failedRuns = 0;
    try {
      for (let number = 1; number <= times; number += 1) {
        const { failed, seconds } = await runOnce(number);
        failedRuns += failed.length > 0 ? 1 : 0;
        for (const { name, message } of failed) {
          const { count = 0, messages = new Map() } = failures.get(name) ?? {};
          messages.set(message, (messages.get(message) ?? 0) + 1);
          failures.set(name, { count: count + 1, messages });
        }
        process.stdout.write(`run ${number} of ${times}: ${failed.length} failed in ${seconds.toFixed(0)} s\n`);
      }
    } finally {
      for (const loop of loops) loop.kill();
    }
    process.stdout.write(`\n${tableOf(failures, failedRuns)}\n`);
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
  const failed = failedOf(JSON.parse(text));
  if (failed.length > 0) await writeFile(join(FOLDER, `${String(number).padStart(3, '0')}.log`), output);
  return { failed, seconds };
}

function failedOf({ numTotalTests, testResults }) {
  if (numTotalTests === 0) throw new StepError('No test has such a title.');
  return testResults.flatMap(({ name: file, status, message, assertionResults }) => {
    const failed = assertionResults.filter((test) => test.status === 'failed');
    const path = relative(root, file);
    // A file that could not be loaded has no tests.
    if (failed.length === 0 && status === 'failed') return [{ name: path, message: firstLine(message) }];
    return failed.map((test) => ({ name: `${path}: ${test.fullName}`, message: firstLine(test.failureMessages[0]) }));
  });
}

const firstLine = (text = '') => text.split('\n').find((line) => line.trim() !== '') ?? 'no message';

function outputOf(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...JEST, ...args], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    const chunks = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => chunks.push(chunk));
    child.once('error', reject);
    child.once('close', () => resolve(Buffer.concat(chunks)));
  });
}

function tableOf(failures, failedRuns) {
  const summary = `${failedRuns} of ${times} runs failed beside ${busy} busy loops.`;
  if (failedRuns === 0) return summary;
  const rows = [...failures].sort(([, one], [, other]) => other.count - one.count);
  const lines = rows.flatMap(([name, { count, messages }]) => [
    `${String(count).padStart(4)} × ${name}`,
    ...[...messages].map(([message, often]) => `       ${often} × ${message}`),
  ]);
  return [summary, ...lines, `The output of these runs is in ${relative(root, FOLDER)}.`].join('\n');
}
