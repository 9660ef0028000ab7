// Measures how soon nodes follow a change. Usage: npm run bench:live -- --help
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { buildManagement } from '../build-management.mjs';
import { columns, figure } from '../columns.mjs';

const HELP = `Usage: npm run bench:live -- [--users 1000] [--nodes 1,20] [--elsewhere 19] [--trials 75] [--bulk 50000] [--no-build]

Runs management on an embedded PostgreSQL with users, and real nodes with real engines. Measures the time from the API's
answer to the first connection that passes (or is refused) on the last node, the time of the API's answer itself, and how
soon a user beyond its limit is off all nodes; on one node also a change of a group with many users, which a new user overtakes.
Beside the API's answer stands what bounds it: a bare route of the same framework, and transactions that change one row. It is
measured after 500 changes of a user, because a service that has just started is twice as slow, without a node and beside one. Connections are made by VLESS,
one look for each trial; the delay before the look goes up and down around the median, so that nothing polls while a change is
under way.

  --users     number of users that exist before (default 1000)
  --nodes     numbers of nodes, one measurement each (default 1,20; an engine takes some 40 MB)
  --elsewhere number of doubles beside one real node, for a fleet whose nodes do not share the processors with management as the
              real ones here do; 0 leaves this out (default 19)
  --trials    number of new users and of deletions (default 75)
  --bulk      users of the group that is changed as a whole; 0 leaves this out (default 50000)
  --no-build  use dist of both programs as it is

Close other programs, because the figures are times.`;

const { values } = parseArgs({
  options: {
    users: { type: 'string', default: '1000' },
    nodes: { type: 'string', default: '1,20' },
    elsewhere: { type: 'string', default: '19' },
    trials: { type: 'string', default: '75' },
    bulk: { type: 'string', default: '50000' },
    'no-build': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const [trials, bulk, elsewhere] = [values.trials, values.bulk, values.elsewhere].map(Number);
// Six of ten users are active.
const users = Math.max(Number(values.users), Math.ceil(bulk / 0.6));
const nodes = values.nodes.split(',').map(Number);
if (values.help) {
  console.log(HELP);
} else if (
  !(
    users >= 1000 &&
    trials >= 20 &&
    bulk >= 0 &&
    elsewhere >= 0 &&
    nodes.every((count) => Number.isInteger(count) && count >= 1)
  )
) {
  console.error(
    '--users must be at least 1000, --trials at least 20, --bulk and --elsewhere at least 0, --nodes numbers such as 1,20\n',
  );
  console.error(HELP);
  process.exitCode = 2;
} else {
  if (!values['no-build']) buildManagement('apps/node');
  const { withEnvironment } = await import('../management/environment.mjs');
  const { measureElsewhere, measureLive } = await import('./measure.mjs');
  const rows = await withEnvironment(users, async (environment) => {
    const all = [];
    for (const count of nodes) all.push(...(await measureLive(environment, { nodes: count, trials, bulk })));
    if (elsewhere > 0) all.push(...(await measureElsewhere(environment, { elsewhere, trials })));
    return all;
  });
  const cells = rows.map(({ what, median, goal, unit }) => [
    what,
    figure(median, unit),
    goal === undefined ? '' : `${goal.toLocaleString('en')} ${unit ?? 'ms'}${median > goal ? '  MISSED' : ''}`,
  ]);
  console.log(
    `${availableParallelism()} processors, Node.js ${process.version}, ${users.toLocaleString('en')} users\n`,
  );
  console.log(columns(['', 'median', 'goal'], cells, 'goal'));
}
