// Measures node and engine for one number of users, with and without shadowsocks-2022, whose changes cost the engine most.

import { setTimeout } from 'node:timers/promises';
import { installProgram } from '@rampart/engine';
import { StatType } from '@rampart/node-client';
import { EngineAlone } from './engine-alone.mjs';
import { freePorts } from './free-ports.mjs';
import { BUNDLE, memoryOf, NodeProcess } from './node-process.mjs';
import { ALL_PROTOCOLS, configOf, makeUser, makeUsers, nodeUser, WITHOUT_2022 } from './users.mjs';

/** Number of single additions. Many, because the first ones run before the code is compiled. */
const SINGLE_ADDITIONS = 201;
const REPEATS = 5;
const CHUNK = 100;

const engine = await installProgram('xray');

/** Path of the engine to measure: that of XRAY_EXECUTABLE_PATH, or the installed one. */
export const enginePath = () => engine.path;

/** Returns the rows of the table: what is measured, the figures of node and engine, and the goal of the node. */
export async function measure(count, settleMs) {
  const path = enginePath();
  const users = makeUsers(count);
  const without = await measureChanges(path, users, WITHOUT_2022);
  const withAll = await measureChanges(path, users, ALL_PROTOCOLS, settleMs);
  const rows = (measured, label) => [
    { what: `SyncUsers, 1 % changed${label}`, ...measured.sync, goal: label ? '' : '1.3 × at 50,000' },
    { what: `one user added, median${label}`, ...measured.single, goal: label ? '' : '2 ms' },
    { what: `chunk of ${CHUNK} changed${label}`, ...measured.chunk, goal: '' },
  ];
  return [
    { what: 'Start, cold', ...withAll.cold, goal: '1.15 × + 80 ms' },
    { what: 'Start, unchanged, median', ...withAll.unchanged, goal: '250 ms at 50,000' },
    ...rows(without, ''),
    ...rows(withAll, ', with 2022'),
    { what: 'GetStats of all users', ...withAll.stats, goal: '' },
    { what: 'memory of the node after all that', ...withAll.memory.node, unit: 'MB', goal: '' },
    { what: 'memory of its engine', ...withAll.memory.engine, unit: 'MB', goal: '' },
  ];
}

async function measureChanges(path, users, protocols, settleMs) {
  const engine = await measureEngine(path, users, protocols, settleMs);
  const node = await measureNode(path, users, protocols, settleMs);
  const both = (name) => ({ node: node[name], engine: engine[name] });
  return {
    ...{ cold: both('cold'), sync: both('sync'), single: both('single'), chunk: both('chunk'), stats: both('stats') },
    unchanged: { node: node.unchanged },
    memory: {
      node: { node: node.memory?.own },
      engine: { node: node.memory?.children, engine: engine.memory?.own },
    },
  };
}

async function measureEngine(path, users, protocols, settleMs) {
  const config = configOf(protocols, await freePorts(protocols.length), users);
  let engine;
  const cold = await timed(async () => {
    engine = await EngineAlone.open(path, config);
  });
  try {
    const changed = changedUsers(users, 1);
    const sync = await timed(() => engine.replace(protocols, changed));
    const single = await median((index) => engine.add(protocols, [makeUser(users.length + index)]));
    const chunk = await timed(() =>
      engine.replace(
        protocols,
        users.slice(0, CHUNK).map((_, index) => makeUser(index, 2)),
      ),
    );
    const stats = await timed(() => engine.counters());
    const memory = await settled(engine.pid, settleMs);
    return { cold, sync, single, chunk, stats, memory };
  } finally {
    await engine.close();
  }
}

async function measureNode(path, users, protocols, settleMs) {
  const config = JSON.stringify(configOf(protocols, await freePorts(protocols.length)));
  const node = await NodeProcess.open(path, BUNDLE);
  const { client } = node;
  const asNode = (user) => nodeUser(user, protocols);
  try {
    // As management asks for it.
    const backend = { config, users: users.map(asNode), privateNetworks: { allowed: [] } };
    const cold = await timed(() => client.start(backend));
    const unchanged = await median(() => client.start(backend), REPEATS);
    const after = [...users];
    for (const user of changedUsers(users, 1)) after[Number.parseInt(user.email, 10)] = user;
    const wanted = { users: after.map(asNode) };
    const sync = await timed(() => client.syncUsers(wanted));
    const single = await median((index) => client.syncUser([asNode(makeUser(users.length + index))]));
    const chunked = users.slice(0, CHUNK).map((_, index) => asNode(makeUser(index, 2)));
    const chunk = await timed(() => client.syncUsersChunked(chunked, { chunkSize: CHUNK }));
    const stats = await timed(() => client.stats({ type: StatType.UsersStat }));
    const memory = await settled(node.pid, settleMs);
    return { cold, unchanged, sync, single, chunk, stats, memory };
  } finally {
    await node.close();
  }
}

/** Every hundredth user, with new credentials. */
const changedUsers = (users, generation) =>
  users.flatMap((_, index) => (index % 100 === 0 ? [makeUser(index, generation)] : []));

async function timed(work) {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

async function median(work, repeats = SINGLE_ADDITIONS) {
  const times = [];
  for (let index = 0; index < repeats; index += 1) times.push(await timed(() => work(index)));
  return times.sort((one, other) => one - other)[Math.floor(repeats / 2)];
}

async function settled(pid, settleMs) {
  if (settleMs === undefined) return undefined;
  await setTimeout(settleMs);
  return memoryOf(pid);
}
