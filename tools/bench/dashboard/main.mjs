// Measures the dashboard in a real browser. Usage: npm run bench:dashboard -- --help
import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { buildManagement } from '../build-management.mjs';
import { columns, figure } from '../columns.mjs';

const HELP = `Usage: npm run bench:dashboard -- [--users 100000] [--rounds 11] [--minutes 10] [--no-build]

Fills an embedded PostgreSQL with users, runs management on it, and opens its dashboard in Chromium. Measures the sizes of the
build; how soon the list of users shows in a window that was open before, here and with a slow processor and network; the jump
to the last users beyond what the server needs for it; memory and elements of the page, and whether they grow while somebody
jumps through the list each second; and how soon the page reacts to clicks with a slow processor.

  --users     number of users (default 100000)
  --rounds    number of loads, jumps and clicks, of which the table shows medians (default 11)
  --minutes   minutes over which memory must not grow (default 10)
  --no-build  use dist of management and of the dashboard as it is

Needs Chromium, which CHROME_PATH may name. Close other programs, because most figures are times.`;

const { values } = parseArgs({
  options: {
    users: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '11' },
    minutes: { type: 'string', default: '10' },
    'no-build': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const [users, rounds, minutes] = [values.users, values.rounds, values.minutes].map(Number);
if (values.help) {
  console.log(HELP);
} else if (!(Number.isInteger(users) && users >= 1000 && Number.isInteger(rounds) && rounds >= 1 && minutes > 0)) {
  console.error(
    '--users must be an integer of at least 1000, --rounds an integer of at least 1, --minutes a number above 0\n',
  );
  console.error(HELP);
  process.exitCode = 2;
} else {
  if (!values['no-build']) {
    buildManagement();
    const { status } = spawnSync(process.execPath, ['apps/dashboard/build-if-changed.mjs'], { stdio: 'inherit' });
    if (status !== 0) throw new Error('the dashboard does not build');
  }
  const { measureDashboard } = await import('./measure.mjs');
  const { measureSizes } = await import('./sizes.mjs');
  const rows = [...measureSizes(), ...(await measureDashboard(users, { rounds, minutes }))];
  const cells = rows.map(({ what, value, unit, goal }) => [
    what,
    figure(value, unit),
    goal === undefined ? '' : `${goal.toLocaleString('en')} ${unit}${value > goal ? '  MISSED' : ''}`,
  ]);
  console.log(
    `${availableParallelism()} processors, Node.js ${process.version}, ${users.toLocaleString('en')} users\n`,
  );
  console.log(columns(['', 'measured', 'goal'], cells, 'goal'));
}
