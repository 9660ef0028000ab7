// Measures management on a large database, beside a bare route and bare SQL. Run from the root: npm run bench:management -- --help
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { buildManagement } from '../build-management.mjs';

const HELP = `Usage: npm run bench:management -- [--users 100000] [--repeats 60] [--pressure] [--no-build]

Fills an embedded PostgreSQL with users, 200 groups and 300 hosts, runs the real service on it with a socket of its own,
and measures requests one after the other. Beside each stands, from the same run, what cannot be had for less: a bare
Fastify route that sends a body of the same size, and the plain SQL that the answer needs.

  --users     how many users (default 100000)
  --repeats   how often each request is measured, changes a tenth as often (default 60)
  --pressure  only what others wait while one plain admin sends 700 changes at once
  --no-build  take apps/management/dist as it is

Close other programs: the figures are times.`;

const { values } = parseArgs({
  options: {
    users: { type: 'string', default: '100000' },
    repeats: { type: 'string', default: '60' },
    pressure: { type: 'boolean', default: false },
    'no-build': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const [users, repeats] = [Number(values.users), Number(values.repeats)];
if (values.help) {
  console.log(HELP);
} else if (!(Number.isInteger(users) && users >= 1000 && Number.isInteger(repeats) && repeats >= 10)) {
  console.error('--users takes an integer from 1000, --repeats one from 10\n');
  console.error(HELP);
  process.exitCode = 2;
} else {
  if (!values['no-build']) buildManagement();
  const { measure, measureOnlyPressure } = await import('./measure.mjs');
  const { pressureTable, table } = await import('./table.mjs');
  console.log(
    `${availableParallelism()} processors, Node.js ${process.version}, ${users.toLocaleString('en')} users\n`,
  );
  if (values.pressure) {
    console.log(pressureTable(await measureOnlyPressure(users)));
  } else {
    const { rows, pressure } = await measure(users, repeats);
    console.log(`${table(rows)}\n\n${pressureTable(pressure)}`);
  }
}
