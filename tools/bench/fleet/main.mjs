// Measures management with many nodes. Usage: npm run bench:fleet -- --help
import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { figure } from '../columns.mjs';

const HELP = `Usage: npm run bench:fleet -- [--users 100000] [--real 2] [--doubles 18] [--cores 1] [--no-build]

Runs management on an embedded PostgreSQL with users, some real nodes with engines, and doubles of nodes in one process, which
take and count users and report traffic. Measures a first full start, changes of one user, of 1 % and of 50,000 users, which
another one overtakes, the traffic of all users, once and all the time, and /sub, memory and the event loop meanwhile. Then
changes while 30 % of the doubles are dead or slow, how three replicas share the nodes, and what two replicas do better than one.

  --users     number of users (default 100000)
  --real      number of real nodes with engines (default 2)
  --doubles   number of doubles (default 18)
  --cores     number of cores that the doubles run, each with inbounds of its own, which every user has about three of (default 1)
  --no-build  use dist of both programs as it is

Close other programs, because the figures are times.`;

const verdict = (value, goal, unit) =>
  goal === undefined ? '' : `${figure(goal, unit)}${value > goal ? '  MISSED' : ''}`;

const { values } = parseArgs({
  options: {
    users: { type: 'string', default: '100000' },
    real: { type: 'string', default: '2' },
    doubles: { type: 'string', default: '18' },
    cores: { type: 'string', default: '1' },
    'no-build': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const given = {
  users: Number(values.users),
  real: Number(values.real),
  doubles: Number(values.doubles),
  cores: Number(values.cores),
};
const isValid =
  given.users >= 1000 &&
  Number.isInteger(given.real) &&
  given.real >= 0 &&
  given.doubles >= 10 &&
  Number.isInteger(given.cores) &&
  given.cores >= 1;
if (values.help) {
  console.log(HELP);
} else if (!isValid) {
  console.error('--users must be at least 1000, --real an integer, --doubles at least 10, --cores an integer from 1\n');
  console.error(HELP);
  process.exitCode = 2;
} else {
  const programs = ['apps/management', 'apps/node'];
  if (!values['no-build'] && spawnSync('npx', ['tsc', '-b', ...programs], { stdio: 'inherit' }).status !== 0) {
    throw new Error('the programs do not compile');
  }
  const { withEnvironment } = await import('../management/environment.mjs');
  const { freePorts } = await import('../node/free-ports.mjs');
  const { measureFleet } = await import('./measure.mjs');
  const [metricsPort] = await freePorts(1);
  const settings = { RAMPART_METRICS_PORT: `${metricsPort}`, RAMPART_METRICS_HOST: '127.0.0.1' };
  const { users, real, doubles, cores } = given;
  console.log(`${availableParallelism()} processors, Node.js ${process.version}`);
  console.log(`${users.toLocaleString('en')} users, ${real} real nodes, ${doubles} doubles, ${cores} cores\n`);
  const report = (rows) => {
    for (const { what, value, goal, unit } of rows) {
      console.log(`${what.padEnd(70)} ${figure(value, unit).padStart(12)}  ${verdict(value, goal, unit)}`.trimEnd());
    }
  };
  await withEnvironment(users, (environment) => measureFleet({ ...environment, metricsPort }, given, report), settings);
}
