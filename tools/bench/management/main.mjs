// Compares management on a large database with a bare route and plain SQL. Usage: npm run bench:management -- --help
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { buildManagement } from '../build-management.mjs';

const HELP = `Usage: npm run bench:management -- [--users 100000] [--repeats 60] [--pressure | --strangers | --deep] [--no-build]

Fills an embedded PostgreSQL with users, 200 groups and 300 hosts, runs management on it as a separate process, and
measures requests one after the other. The same run measures a baseline for each request: a bare Fastify route that
sends a body of the same size, and the plain SQL that the answer needs.

  --users     number of users (default 100000)
  --repeats   number of measurements of each request; changes are measured a tenth as often (default 60)
  --pressure  measure only the latency for others while one plain admin sends 700 changes at once
  --strangers the same while 300 connections of another address ask for subscriptions that do not exist
  --deep      measure only windows deep in the list of users: the last page and the middle, in every order
  --no-build  use apps/management/dist as it is

Close other programs, because the figures are times.`;

const { values } = parseArgs({
  options: {
    users: { type: 'string', default: '100000' },
    repeats: { type: 'string', default: '60' },
    pressure: { type: 'boolean', default: false },
    strangers: { type: 'boolean', default: false },
    deep: { type: 'boolean', default: false },
    'no-build': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const [users, repeats] = [Number(values.users), Number(values.repeats)];
if (values.help) {
  console.log(HELP);
} else if (!(Number.isInteger(users) && users >= 1000 && Number.isInteger(repeats) && repeats >= 10)) {
  console.error('--users must be an integer of at least 1000, --repeats one of at least 10\n');
  console.error(HELP);
  process.exitCode = 2;
} else {
  if (!values['no-build']) buildManagement();
  const { measure, measureDeepLists, measureOnlyPressure, measureOnlyStrangers } = await import('./measure.mjs');
  const { pressureTable, table } = await import('./table.mjs');
  console.log(
    `${availableParallelism()} processors, Node.js ${process.version}, ${users.toLocaleString('en')} users\n`,
  );
  if (values.pressure) {
    console.log(pressureTable(await measureOnlyPressure(users)));
  } else if (values.strangers) {
    console.log(pressureTable(await measureOnlyStrangers(users)));
  } else if (values.deep) {
    console.log(table(await measureDeepLists(users, repeats)));
  } else {
    const { rows, pressure } = await measure(users, repeats);
    console.log(`${table(rows)}\n\n${pressureTable(pressure)}`);
  }
}
