// Measures the resident memory of the node as it is deployed: empty, and with numbers of users on five inbounds.
import { readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { columns, figure } from '../columns.mjs';
import { freePorts } from './free-ports.mjs';
import { BUNDLE, memoryOf, NodeProcess } from './node-process.mjs';
import { ALL_PROTOCOLS, configOf, makeUsers, nodeUser } from './users.mjs';

const COLUMNS = ['users', 'node', 'of it files', 'of it anonymous', 'its engine', 'goal'];
const GOALS = { 0: '70 MB', 10000: '100 MB', 50000: '170 MB' };

/** Returns the table: for each number of users a node of its own, so long after its start. */
export async function memoryTable(enginePath, counts, settleMs) {
  const rows = await Promise.all(counts.map((count) => measure(enginePath, count, settleMs)));
  return columns(COLUMNS, rows, 'goal');
}

async function measure(enginePath, count, settleMs) {
  const node = await NodeProcess.open(enginePath, BUNDLE);
  try {
    if (count > 0) {
      const config = JSON.stringify(configOf(ALL_PROTOCOLS, await freePorts(ALL_PROTOCOLS.length)));
      await node.client.start({ config, users: makeUsers(count).map((user) => nodeUser(user, ALL_PROTOCOLS)) });
    }
    await setTimeout(settleMs);
    const { own, children } = await memoryOf(node.pid);
    const anonymous = await anonymousMb(node.pid);
    const engine = count > 0 ? children : undefined;
    const figures = [own, own - anonymous, anonymous, engine].map((megabytes) => figure(megabytes, 'MB'));
    return [count.toLocaleString('en'), ...figures, GOALS[count] ?? ''];
  } finally {
    await node.close();
  }
}

/** Memory that no file stands behind, in megabytes: heaps, stacks and what was compiled. */
async function anonymousMb(pid) {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8');
  return Number(/^Anonymous:\s+(\d+)/m.exec(rollup)?.[1] ?? 0) / 1024;
}
