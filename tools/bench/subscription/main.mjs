// Compares subscriptions from a large database with a bare route. Run from the root: npm run bench:subscription -- --help
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { buildManagement } from '../build-management.mjs';

const HELP = `Usage: npm run bench:subscription -- [--users 100000] [--seconds 2] [--rounds 3] [--soak 0] [--with NAME=VALUE] [--no-build]

Fills an embedded PostgreSQL with users, gives all of them 20 hosts of many kinds, and runs management on it. A load
client fetches subscriptions of random users over 8 connections, format by format, and after each format a body of the
same size from a bare Fastify route: the baseline of this machine at that moment.

  --users     number of users (default 100000)
  --seconds   seconds for each format in each round (default 2)
  --rounds    number of rounds; the table shows medians (default 3)
  --soak      measure only the memory of management over so many requests of all formats (such as 1000000)
  --with      compare with another management that has this setting, in turns, such as RAMPART_METRICS_PORT=0
  --no-build  use apps/management/dist as it is

Close other programs, because the database and the load client need processors too.`;

const { values } = parseArgs({
  options: {
    users: { type: 'string', default: '100000' },
    seconds: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '3' },
    soak: { type: 'string', default: '0' },
    with: { type: 'string' },
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
  console.error(
    '--users must be an integer of at least 1000, --seconds a number above 0, --rounds and --soak integers\n',
  );
  console.error(HELP);
  process.exitCode = 2;
} else {
  if (!values['no-build']) buildManagement();
  const { measureFormats, measureMemory, measurePairs } = await import('./measure.mjs');
  const { formatTable, memoryTable, pairTable } = await import('./table.mjs');
  console.log(
    `${availableParallelism()} processors, Node.js ${process.version}, ${users.toLocaleString('en')} users, 20 hosts\n`,
  );
  if (soak > 0) console.log(memoryTable(await measureMemory(users, soak)));
  else if (values.with !== undefined) {
    const [name, value = ''] = values.with.split('=');
    console.log(pairTable(await measurePairs(users, { seconds, rounds, settings: { [name]: value } })));
  } else console.log(formatTable(await measureFormats(users, { seconds, rounds })));
}
