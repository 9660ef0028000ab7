// Measures subscriptions out of a large database, beside a bare route. Run from the root: npm run bench:subscription -- --help
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { buildManagement } from '../build-management.mjs';

const HELP = `Usage: npm run bench:subscription -- [--users 100000] [--seconds 2] [--rounds 3] [--soak 0] [--no-build]

Fills an embedded PostgreSQL with users, gives all of them 20 hosts of many kinds, and runs the real service on it. A
process of its own asks for subscriptions of random users over 8 connections, format by format, and in turns with each for
a body of the same size from a bare Fastify route: what cannot be had for less, on the machine as it is at that moment.

  --users     how many users (default 100000)
  --seconds   how long each format is asked for in each round (default 2)
  --rounds    how often; of each figure the median counts (default 3)
  --soak      instead: so many requests over all formats, and the memory of the service meanwhile (such as 1000000)
  --no-build  take apps/management/dist as it is

Close other programs: the database and whoever asks want processors too.`;

const { values } = parseArgs({
  options: {
    users: { type: 'string', default: '100000' },
    seconds: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '3' },
    soak: { type: 'string', default: '0' },
    'no-build': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const [users, seconds, rounds, soak] = [values.users, values.seconds, values.rounds, values.soak].map(Number);
const areValid =
  Number.isInteger(users) && users >= 1000 && seconds > 0 && Number.isInteger(rounds) && rounds >= 1 && soak >= 0;
if (values.help) {
  console.log(HELP);
} else if (!areValid) {
  console.error('--users takes an integer from 1000, --seconds a number, --rounds and --soak an integer\n');
  console.error(HELP);
  process.exitCode = 2;
} else {
  if (!values['no-build']) buildManagement();
  const { measureFormats, measureMemory } = await import('./measure.mjs');
  const { formatTable, memoryTable } = await import('./table.mjs');
  console.log(
    `${availableParallelism()} processors, Node.js ${process.version}, ${users.toLocaleString('en')} users, 20 hosts\n`,
  );
  if (soak > 0) console.log(memoryTable(await measureMemory(users, soak)));
  else console.log(formatTable(await measureFormats(users, { seconds, rounds })));
}
