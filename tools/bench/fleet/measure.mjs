// Measures a management with many nodes. The rows are those of the table, with goals where there are some.
import { setTimeout as wait } from 'node:timers/promises';
import { startNodes, stopNodes } from '../nodes.mjs';
import { Doubles } from './doubles.mjs';
import { Fleet, POLL_MS, tagsOf } from './fleet.mjs';

const BULK_USERS = 50_000;
const STEADY_MS = 20_000;
const SLOW_MS = 3_000;
/** In milliseconds and MiB; those that the project has not been given are what alerts of deploy/prometheus leave far behind. */
const GOALS = { change: 30, overtaking: 100, handover: 10_000, memory: 200, sub: 100, delay: 100, start: 60_000 };

/**
 * @param environment of `withEnvironment`, and the port of the metrics
 * @param report gets some rows of the table as soon as they are measured
 */
export async function measureFleet({ startAnother, ...environment }, { users, real, doubles: count, cores }, report) {
  const { database, service } = environment;
  // The engines of the real nodes serve the same users as the doubles of the first core.
  await grantInbounds(database, cores);
  // Traffic must not take users off the nodes: the measurements wait until nodes hold those who were there before.
  await database.query(`UPDATE users SET data_limit = 0 WHERE status = 'active'`);
  const doubles = await Doubles.open(count);
  const nodes = [];
  try {
    const fleet = new Fleet({ ...environment, doubles, cores });
    const all = real + count;
    const first = await fleet.watched(async () => {
      const began = performance.now();
      nodes.push(...(await startNodes(service, real)));
      await fleet.register();
      return performance.now() - began;
    });
    report([{ what: `first full start of ${all} nodes`, value: first.result, goal: GOALS.start }, ...meanwhile(first)]);
    const bulk = Math.min(BULK_USERS, Math.floor(users / 2));
    await measureChanges(fleet, users, bulk, report);
    report(await measureTraffic(fleet));
    await measureBadNodes(fleet, users, report);
    const start = await fleet.cost(() => fleet.startAll());
    const change = await fleet.cost(() => fleet.changeGroup(Math.round(users / 100)));
    const many = await fleet.cost(() => fleet.changeGroup(bulk));
    report([
      ...costs('one replica: all nodes are started anew', start),
      ...costs(`one replica: ${named(Math.round(users / 100))} users in one change`, change),
      ...costs(`one replica: ${named(bulk)} users in one change`, many),
    ]);
    await measureReplicas(fleet, startAnother, bulk, report);
  } finally {
    await stopNodes(nodes);
    doubles.close();
  }
}

/** Each group grants the inbounds of one core, and the first group, in which the measurements create users, those of all. */
async function grantInbounds(database, cores) {
  const all = Array.from({ length: cores }, (_, core) => tagsOf(core));
  for (const [core, tags] of all.entries()) {
    await database.query('UPDATE groups SET inbound_tags = $1 WHERE id % $2 = $3', [tags, cores, core]);
  }
  await database.query('UPDATE groups SET inbound_tags = $1 WHERE id = 1', [all.flat()]);
}

const costs = (what, { result, database, cpu }) => [
  { what, value: result },
  { what: '  of it, database', value: database },
  { what: '  of it, CPU of management', value: cpu },
];

const meanwhile = ({ sub, delay, memory }) => [
  { what: '  /sub meanwhile, p99', value: sub, goal: GOALS.sub },
  { what: '  event loop of management, p99', value: delay, goal: GOALS.delay },
  { what: '  memory of management, most', value: memory, unit: 'MiB', goal: GOALS.memory },
];

/** No delay: two runs of the same measurement differ by so much. */
const sameAs = (ms) => ms * 1.25 + 5;

const named = (users) => users.toLocaleString('en');

async function measureChanges(fleet, users, bulk, report) {
  report([{ what: 'one change, until all nodes hold it', value: await fleet.medianChange(), goal: GOALS.change }]);
  for (const changed of [Math.round(users / 100), bulk]) {
    const { result, ...watched } = await fleet.watched(() => fleet.changeGroupAndUser(changed));
    report([
      { what: `${named(changed)} users in one change, all doubles hold them`, value: result.doubles },
      { what: '  all nodes, the real ones too', value: result.all },
      { what: '  a new user overtakes them', value: result.overtaking, goal: GOALS.overtaking },
      ...meanwhile(watched),
    ]);
  }
}

/** Traffic of all users at once, each on one node; then of all of them all the time. */
async function measureTraffic(fleet) {
  const { doubles } = fleet;
  const emails = await fleet.emails();
  const once = await fleet.watched(() =>
    fleet.cost(async () => {
      await doubles.ask({ command: 'traffic', emails });
      while ((await fleet.collectedNodes()) < doubles.ports.length) await wait(POLL_MS);
    }),
  );
  const { booked: before } = await doubles.ask({ command: 'booked' });
  const steady = await fleet.watched(() =>
    fleet.cost(async () => {
      await doubles.ask({ command: 'traffic', emails, repeats: true });
      await wait(STEADY_MS);
    }),
  );
  const { booked } = await doubles.ask({ command: 'booked' });
  await doubles.ask({ command: 'traffic', emails: [] });
  return [
    { what: `traffic of ${named(emails.length)} users, one collection`, value: once.result.took },
    { what: '  of it, database', value: once.result.database },
    { what: '  of it, CPU of management', value: once.result.cpu },
    ...meanwhile(once),
    {
      what: `all of them active all the time, each is booked every`,
      value: (STEADY_MS * emails.length) / (booked - before),
    },
    { what: '  database, of a connection', value: (steady.result.database / STEADY_MS) * 100, unit: '%' },
    { what: '  CPU of management, of a core', value: (steady.result.cpu / STEADY_MS) * 100, unit: '%' },
    ...meanwhile(steady),
  ];
}

/** What the other nodes get of changes while 30 % of the nodes are dead, slow, or both. */
async function measureBadNodes(fleet, users, report) {
  const { doubles } = fleet;
  const count = doubles.ports.length;
  const bad = Math.floor(count * 0.3);
  const set = (mode, from, to) => doubles.ask({ command: 'mode', from, to, mode, delayMs: SLOW_MS });
  const cases = [
    ['all nodes well', () => set('well', 0, count)],
    [`${bad} of ${count} nodes dead`, () => set('dead', 0, bad)],
    [`${bad} of ${count} nodes slow`, () => set('slow', 0, bad)],
    [`${bad} of ${count} nodes dead or slow`, () => set('dead', 0, Math.ceil(bad / 2))],
  ];
  const goals = {};
  for (const [what, prepare] of cases) {
    await prepare();
    const one = await fleet.medianChange();
    const many = await fleet.changeGroup(Math.round(users / 100));
    report([
      { what: `${what}: one change on the others`, value: one, goal: goals.one },
      { what: `${what}: ${named(Math.round(users / 100))} users`, value: many, goal: goals.many },
    ]);
    goals.one ??= sameAs(one);
    goals.many ??= sameAs(many);
  }
  await set('well', 0, count);
  await fleet.recovered();
}

async function measureReplicas(fleet, startAnother, bulk, report) {
  const replicas = [await startAnother(), await startAnother()];
  const three = await fleet.shared(3);
  report([{ what: `three replicas share the nodes: ${await fleet.shares()}`, value: three, goal: GOALS.handover }]);
  replicas[0].child.kill('SIGKILL');
  const two = await fleet.shared(2);
  replicas[0].disconnect();
  report([
    { what: `one is killed; the others have its nodes: ${await fleet.shares()}`, value: two, goal: GOALS.handover },
    { what: 'two replicas: all nodes are started anew', value: await fleet.startAll() },
    { what: `two replicas: ${named(bulk)} users in one change`, value: await fleet.changeGroup(bulk) },
  ]);
}
