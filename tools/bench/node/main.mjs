// Compares the node with the engine alone and prints a table. Run from the root: npm run bench:node -- --help
import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { columns, figure } from '../columns.mjs';

const COLUMNS = ['', 'node', 'engine alone', 'ratio', 'goal'];

const HELP = `Usage: npm run bench:node -- [--users 1000,10000,50000,100000] [--settle 60] [--gaps] [--no-build]

For each number of users on five inbounds (vless, vmess, trojan, shadowsocks, shadowsocks-2022), it measures a real node
over gRPC and, in the same run, the engine alone with the same configuration and the same API calls.

  --users     numbers of users, separated by commas (default 1000,10000,50000,100000)
  --settle    seconds to wait before memory is read (default 60)
  --gaps      measure only how long a handover leaves a port of grpc, xhttp or kcp without a listener
  --no-build  use apps/node/dist as it is

The engine is XRAY_EXECUTABLE_PATH, else the installed one. Close other programs, because the figures are times.`;

const { values } = parseArgs({
  options: {
    users: { type: 'string', default: '1000,10000,50000,100000' },
    settle: { type: 'string', default: '60' },
    gaps: { type: 'boolean', default: false },
    'no-build': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const counts = values.users.split(',').map(Number);
const settleMs = Number(values.settle) * 1000;
if (values.help) {
  console.log(HELP);
} else if (!counts.every((count) => Number.isInteger(count) && count >= 100) || !(settleMs >= 0)) {
  console.error('--users takes integers from 100, --settle a number of seconds\n');
  console.error(HELP);
  process.exitCode = 2;
} else {
  const built =
    values['no-build'] ||
    spawnSync('npx', ['tsc', '-b', 'apps/node', 'tools/engine'], { stdio: 'inherit' }).status === 0;
  if (!built) throw new Error('the node does not compile');
  const { enginePath, measure } = await import('./measure.mjs');
  const { measureGaps } = await import('./handover-gap.mjs');
  console.log(`${availableParallelism()} processors, Node.js ${process.version}\n`);
  for (const count of counts) {
    const rows = values.gaps ? await measureGaps(enginePath(), count) : await measure(count, settleMs);
    console.log(`${count.toLocaleString('en')} users\n${formatTable(rows)}\n`);
  }
}

function formatTable(rows) {
  const cells = rows.map(({ what, node, engine, unit, goal }) => [
    what,
    figure(node, unit),
    figure(engine, unit),
    node === undefined || engine === undefined ? '' : `${(node / engine).toFixed(2)} ×`,
    goal,
  ]);
  return columns(COLUMNS, cells, 'goal');
}
