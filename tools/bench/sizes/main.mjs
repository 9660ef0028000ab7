// Measures what Rampart needs for so many users. Run from the root: npm run bench:sizes -- --help
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { prepare } from '../../quickstart/prepare.mjs';
import { columns } from '../columns.mjs';

/** For 100,000 users. */
const BACKUP_GOAL_S = 60;
const HELP = `Usage: npm run bench:sizes -- [--users 1000,10000,100000] [--seconds 30] [--no-build]

Runs management with its embedded PostgreSQL and a node with its engine, both bundled, with so many users of whom three
quarters may connect, and prints the memory, the disk and the processor time of each program, which docs/operators.md has, and
the time and the size of a backup by the command line beside the running management.

  --users     numbers of users, separated by commas (default 1000,10000,100000)
  --seconds   how long the processor time of the idle programs is measured (default 30)
  --no-build  use the bundles of both programs as they are`;

const { values } = parseArgs({
  options: {
    users: { type: 'string', default: '1000,10000,100000' },
    seconds: { type: 'string', default: '30' },
    'no-build': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const counts = values.users.split(',').map(Number);
const seconds = Number(values.seconds);
if (values.help) {
  console.log(HELP);
} else if (!counts.every((count) => Number.isInteger(count) && count >= 1000) || !(seconds > 0)) {
  console.error('--users takes integers from 1000, --seconds a number above 0\n');
  console.error(HELP);
  process.exitCode = 2;
} else {
  const programs = ['management', 'node'];
  if (!values['no-build']) await prepare({ folders: programs.map((name) => `apps/${name}`), bundles: programs });
  const { measure } = await import('./measure.mjs');
  console.log(`${availableParallelism()} processors, Node.js ${process.version}\n`);
  for (const count of counts) {
    const { rows, fetched, usage, served, backup } = await measure(count, seconds);
    const table = columns(
      ['', 'memory', 'disk', 'processor, idle'],
      rows.map(({ what, memory, disk, processor }) => [
        what,
        `${Math.round(memory)} MB`,
        disk === undefined ? '' : `${disk.toFixed(1)} MB`,
        `${processor.toFixed(1)} %`,
      ]),
    );
    console.log(`${count.toLocaleString('en')} users, ${served.toLocaleString('en')} of them on the node\n${table}`);
    console.log(`a subscription costs ${fetched.toFixed(2)} ms of management's processor time`);
    console.log(`the usage of a user in an hour takes ${Math.round(usage)} bytes`);
    const { seconds: took, megabytes } = backup;
    console.log(
      `a backup of ${count.toLocaleString('en')} users takes ${took.toFixed(1)} s (goal ${BACKUP_GOAL_S} s), and its file has ${megabytes.toFixed(1)} MB\n`,
    );
  }
}
