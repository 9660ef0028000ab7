// Compares the node with the engine alone and prints a table. Run from the root: npm run bench:node -- --help
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { prepare } from '../../quickstart/prepare.mjs';
import { columns, figure } from '../columns.mjs';

const COLUMNS = ['', 'node', 'engine alone', 'ratio', 'goal'];

const HELP = `Usage: npm run bench:node -- [--users 1000,10000,50000,100000] [--settle 60] [--gaps] [--memory] [--readings] [--private] [--no-build]

For each number of users on five inbounds (vless, vmess, trojan, shadowsocks, shadowsocks-2022), it measures a real node
over gRPC and, in the same run, the engine alone with the same configuration and the same API calls.

  --users     numbers of users, separated by commas (default 1000,10000,50000,100000)
  --settle    seconds to wait before memory is read (default 60)
  --gaps      measure only how long a handover leaves a port of grpc, xhttp or kcp without a listener
  --memory    measure only the memory of the node, by default empty and with 10,000 and 50,000 users
  --readings  measure only what a reading of the engine's counters costs
  --private   measure only what keeping users out of private networks costs downloads, connections and UDP packets
  --no-build  use apps/node/dist as it is

The engine is XRAY_EXECUTABLE_PATH, else the installed one. Close other programs, because the figures are times.`;

const { values } = parseArgs({
  options: {
    users: { type: 'string' },
    settle: { type: 'string', default: '60' },
    gaps: { type: 'boolean', default: false },
    memory: { type: 'boolean', default: false },
    readings: { type: 'boolean', default: false },
    private: { type: 'boolean', default: false },
    'no-build': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const counts = (values.users ?? (values.memory ? '0,10000,50000' : '1000,10000,50000,100000')).split(',').map(Number);
const settleMs = Number(values.settle) * 1000;
if (values.help) {
  console.log(HELP);
} else if (
  !counts.every((count) => Number.isInteger(count) && (count >= 100 || (values.memory && count === 0))) ||
  !(settleMs >= 0)
) {
  console.error('--users takes integers from 100, --settle a number of seconds\n');
  console.error(HELP);
  process.exitCode = 2;
} else {
  if (!values['no-build']) await prepare({ folders: ['apps/node', 'tools/engine'], bundles: ['node'] });
  const { enginePath, measure } = await import('./measure.mjs');
  const { measureGaps } = await import('./handover-gap.mjs');
  const { measureReadings } = await import('./readings.mjs');
  console.log(`${availableParallelism()} processors, Node.js ${process.version}\n`);
  if (values.memory) {
    const { memoryTable } = await import('./memory.mjs');
    console.log(await memoryTable(enginePath(), counts, settleMs));
  }
  if (values.private) {
    const { measurePrivateNetworks } = await import('./private.mjs');
    console.log(formatPrivate(await measurePrivateNetworks(enginePath())));
  }
  for (const count of values.memory || values.private ? [] : counts) {
    if (values.readings) {
      console.log(`${formatReadings(count, await measureReadings(enginePath(), count))}\n`);
      continue;
    }
    const rows = values.gaps ? await measureGaps(enginePath(), count) : await measure(count, settleMs);
    console.log(`${count.toLocaleString('en')} users\n${formatTable(rows)}\n`);
  }
}

function formatPrivate(rows) {
  const cells = rows.map(({ what, unit, open, kept }) => [
    what,
    figure(open, unit),
    figure(kept, unit),
    `${(kept / open).toFixed(2)} ×`,
  ]);
  return columns(['best of three rounds', 'as it is written', 'with private_networks', 'ratio'], cells);
}

function formatReadings(users, rows) {
  const title = `one reading, ${users.toLocaleString('en')} users`;
  const names = [title, 'CPU of the node', 'of the engine', 'took', 'of a core, each second', 'goal'];
  const cells = rows.map(({ what, node, engine, took, percent, goal }) => [
    ...[what, figure(node), figure(engine), figure(took), figure(percent, '%')],
    `${goal} %${percent > goal ? '  MISSED' : ''}`,
  ]);
  return columns(names, cells, 'goal');
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
