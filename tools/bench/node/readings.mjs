// Measures what reading the counters of an engine costs the node and the engine, by how many users have connected and are active.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { passes, startEcho } from '../live/vless-probe.mjs';
import { EngineAlone } from './engine-alone.mjs';
import { freePorts } from './free-ports.mjs';
import { configOf, makeUsers } from './users.mjs';

const DIST = resolve(import.meta.dirname, '../../../apps/node/dist');
const { EngineApi } = await import(join(DIST, 'backend/xray/api/engine-api.js'));
const { TrafficMeter } = await import(join(DIST, 'traffic/traffic-meter.js'));
const { TrafficStore } = await import(join(DIST, 'traffic/traffic-store.js'));

const CONNECTIONS_AT_ONCE = 200;
const IDLE_READINGS = 20;
const ACTIVE_READINGS = 4;
const GOAL_PERCENT = 1;

/** Returns the rows of the table; times in milliseconds of CPU of one reading, `took` in milliseconds of time. */
export async function measureReadings(path, count) {
  const users = makeUsers(count);
  const [port] = await freePorts(1);
  const engine = await EngineAlone.open(path, configOf(['vless'], [port], users));
  const folder = await mkdtemp(join(tmpdir(), 'rampart-bench-'));
  const echo = await startEcho();
  const api = new EngineApi(engine.socket);
  const store = new TrafficStore();
  try {
    await store.open({ path: join(folder, 'traffic'), onWarning: console.error, retryMs: 1000 });
    const meter = new TrafficMeter(async () => [await api.readTraffic()], store, console.error);
    const connect = (some) => connectAll(some, port, echo);
    const cost = (active, readings) => costOf(meter, engine.pid, () => connect(users.slice(0, active)), readings);
    const rows = [{ what: 'nobody has connected', ...(await cost(0, IDLE_READINGS)) }];
    for (const active of [1_000, 10_000].filter((some) => some < count))
      rows.push({
        what: `${active.toLocaleString('en')} have, and are active`,
        ...(await cost(active, ACTIVE_READINGS)),
      });
    await connect(users);
    await meter.refresh();
    rows.push({ what: 'all have, none is active', ...(await cost(0, IDLE_READINGS)) });
    for (const active of [1_000, 10_000].filter((some) => some < count))
      rows.push({
        what: `all have, ${active.toLocaleString('en')} are active`,
        ...(await cost(active, ACTIVE_READINGS)),
      });
    return rows.map((row) => ({ ...row, percent: (row.node + row.engine) / 10, goal: GOAL_PERCENT }));
  } finally {
    api.close();
    await store.close();
    echo.close();
    await engine.close();
    await rm(folder, { recursive: true });
  }
}

/** The mean cost of a reading, each after the given users were active. */
async function costOf(meter, enginePid, makeActive, readings) {
  const sum = { node: 0, engine: 0, took: 0 };
  for (let index = 0; index < readings; index += 1) {
    await makeActive();
    const [own, theirs, began] = [process.cpuUsage(), await cpuMs(enginePid), performance.now()];
    await meter.refresh();
    sum.took += performance.now() - began;
    const { user, system } = process.cpuUsage(own);
    sum.node += (user + system) / 1000;
    sum.engine += (await cpuMs(enginePid)) - theirs;
  }
  return { node: sum.node / readings, engine: sum.engine / readings, took: sum.took / readings };
}

/** Each user transfers a few bytes through the engine. */
async function connectAll(users, port, echo) {
  const next = users.values();
  const work = async () => {
    for (const { id } of next) if (!(await passes(port, id, echo))) throw new Error('the engine does not serve a user');
  };
  await Promise.all(Array.from({ length: Math.min(CONNECTIONS_AT_ONCE, users.length) }, work));
}

/** Milliseconds of CPU of all threads of a process, which /proc/<pid>/stat counts in hundredths of a second only. */
async function cpuMs(pid) {
  let nanoseconds = 0;
  for (const thread of await readdir(`/proc/${pid}/task`)) {
    const text = await readFile(`/proc/${pid}/task/${thread}/schedstat`, 'latin1').catch(() => '0');
    nanoseconds += Number(text.split(' ')[0]);
  }
  return nanoseconds / 1e6;
}
