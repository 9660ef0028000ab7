// Measures how soon the nodes follow a change, and what a change of one user costs the API.
import { setTimeout as wait } from 'node:timers/promises';
import { Doubles } from '../fleet/doubles.mjs';
import { API_KEY } from '../node/node-process.mjs';
import { allConnected, startNodes, stopNodes, TAGS } from '../nodes.mjs';
import { residentMebibytes } from '../subscription/process-figures.mjs';
import { Staircase } from './staircase.mjs';
import { passes, startEcho, transfer } from './vless-probe.mjs';

const WARM_UP = 20;
/** So many changes of a user are not measured: until then the service runs code that V8 has not compiled yet. */
const API_WARM_UP = 500;
const POLL_MS = 5;
const MEBIBYTE = 2 ** 20;
const LIMIT_TRIALS = 3;
const BULK_TRIALS = 6;
/** The new user is made so long after the change of many. */
const INTO_BULK_MS = 200;

/** The goals in milliseconds. */
const ONE_NODE_GOAL_MS = 10;
const LAST_NODE_GOAL_MS = 30;
const API_GOAL_MS = 4;
const LIMIT_GOAL_MS = 3_000;
const OVERTAKING_GOAL_MS = 100;
const MEMORY_GOAL_MIB = 200;

const medianOf = (times) => times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)];

/** Measures with so many nodes, and returns the rows of the table. @param environment of `withEnvironment` */
export async function measureLive({ service, database, bare }, { nodes: nodeCount, trials, bulk }) {
  const alone = nodeCount === 1 ? await measureApiAlone(service, trials) : [];
  const echo = await startEcho();
  const nodes = await startNodes(service, nodeCount);
  try {
    const bench = new LiveBench(service, database, nodes, echo);
    await bench.prepare();
    const rows = [...(await bench.measureChanges(trials)), ...alone];
    if (nodeCount === 1) rows.push(...(await bench.measureApi(trials, bare)));
    rows.push(await bench.measureLimit());
    if (nodeCount === 1 && bulk > 0) rows.push(...(await bench.measureBulk(bulk)));
    return rows;
  } finally {
    await removeNodes(service);
    await stopNodes(nodes);
    echo.close();
  }
}

/** What a change of one user costs the API itself: no node shares the processors with it. */
async function measureApiAlone(service, trials) {
  const groupId = JSON.parse((await service.call('GET', '/api/groups')).text).groups[0].id;
  const calls = [];
  for (let trial = 0; trial < API_WARM_UP + trials; trial += 1)
    calls.push(await changeUser((...request) => service.call(...request), `api${trial}`, groupId));
  return apiRows('one after another', calls.slice(API_WARM_UP));
}

/** Creates, modifies and deletes a user, and returns the milliseconds of each call by its method. */
async function changeUser(call, username, groupId) {
  const path = `/api/user/${username}`;
  const { ms: POST } = await call('POST', '/api/user', { username, group_ids: [groupId], data_limit: MEBIBYTE });
  const { ms: PUT } = await call('PUT', path, { note: 'paid', data_limit: 2 * MEBIBYTE });
  const { ms: DELETE } = await call('DELETE', path);
  return { POST, PUT, DELETE };
}

const apiRows = (where, calls) =>
  ['POST', 'PUT', 'DELETE'].map((method) => ({
    what: `${method} of one user, ${where}`,
    median: medianOf(calls.map((times) => times[method])),
    goal: method === 'DELETE' ? undefined : API_GOAL_MS,
  }));

/** The next measurement begins without nodes. */
async function removeNodes(service) {
  const { text } = await service.call('GET', '/api/nodes');
  for (const { id } of JSON.parse(text)) {
    await service.call('DELETE', `/api/node/${id}`);
  }
}

/**
 * Measures how soon a real node follows beside doubles of so many others, and until all of these have been told: as in a fleet
 * whose other nodes do not share the processors with management.
 */
export async function measureElsewhere({ service, database }, { elsewhere, trials }) {
  const echo = await startEcho();
  const doubles = await Doubles.open(elsewhere);
  let nodes = [];
  try {
    await addDoubles(service, doubles);
    nodes = await startNodes(service, 1);
    const bench = new LiveBench(service, database, nodes, echo, doubles);
    await bench.prepare();
    return await bench.measureChanges(trials);
  } finally {
    await removeNodes(service);
    await stopNodes(nodes);
    doubles.close();
    echo.close();
  }
}

async function addDoubles(service, { ports, ca }) {
  const inbounds = [{ tag: TAGS[0], port: 1, protocol: 'vless', settings: { clients: [], decryption: 'none' } }];
  const config = { inbounds, outbounds: [{ tag: 'direct', protocol: 'freedom' }] };
  const { text } = await service.call('POST', '/api/core', { name: 'doubles', config });
  for (const port of ports) {
    await service.call('POST', '/api/node', {
      ...{ name: `double ${port}`, address: '127.0.0.1', port, connection_type: 'grpc', keep_alive: 0 },
      ...{ server_ca: ca, core_config_id: JSON.parse(text).id, api_key: API_KEY },
    });
  }
  await allConnected(service);
}

class LiveBench {
  /** @param doubles of further nodes, which have to be told too */
  constructor(service, database, nodes, echo, doubles) {
    Object.assign(this, { service, database, nodes, echo, doubles, users: 0 });
    this.nodeCount = nodes.length + (doubles?.ports.length ?? 0);
  }

  async prepare() {
    const { text } = await this.service.call('POST', '/api/group', {
      name: this.prefix(),
      inbound_tags: TAGS.slice(0, 1),
    });
    this.groupId = JSON.parse(text).id;
    for (let index = 0; index < WARM_UP; index += 1) {
      const user = await this.create();
      await this.everywhere(user, true);
      await this.remove(user);
      await this.everywhere(user, false);
    }
  }

  prefix() {
    return `live${this.nodes.length}of${this.nodeCount}`;
  }

  async create(terms = {}) {
    this.users += 1;
    const username = `${this.prefix()}x${this.users}`;
    await this.expectDoubles(username);
    const { text } = await this.service.call('POST', '/api/user', { username, group_ids: [this.groupId], ...terms });
    return JSON.parse(text);
  }

  async remove({ username }) {
    await this.expectDoubles(username);
    await this.service.call('DELETE', `/api/user/${username}`);
  }

  /** The next change that all doubles have to be told of is one of this user. */
  async expectDoubles(username) {
    if (!this.doubles) return;
    const told = { byAll: false };
    this.told = told;
    const { held } = await this.doubles.expect({ name: username });
    void held.then(() => {
      told.byAll = true;
    });
  }

  /** Looks once at every node: whether all of them serve the user, or none does, and all doubles were told. */
  async look(user, isServed) {
    if (this.told?.byAll === false) return false;
    const { id } = user.proxy_settings.vless;
    const seen = await Promise.all(this.nodes.map(({ ports: [port] }) => passes(port, id, this.echo)));
    return seen.every((passed) => passed === isServed);
  }

  async everywhere(user, isServed) {
    while (!(await this.look(user, isServed))) await wait(POLL_MS);
  }

  async measureChanges(trials) {
    const goal = this.nodeCount === 1 ? ONE_NODE_GOAL_MS : LAST_NODE_GOAL_MS;
    const [added, deleted] = [new Staircase(goal), new Staircase(goal)];
    for (let trial = 0; trial < trials; trial += 1) {
      let user;
      await added.trial(
        async () => {
          user = await this.create();
        },
        () => this.look(user, true),
      );
      await this.everywhere(user, true);
      await deleted.trial(
        () => this.remove(user),
        () => this.look(user, false),
      );
      await this.everywhere(user, false);
    }
    const where =
      this.nodeCount === 1
        ? 'one node'
        : `the last of ${this.nodeCount} nodes${this.doubles ? ', all but one elsewhere' : ''}`;
    return [
      { what: `new user → first connection passes, ${where}`, median: added.median, goal },
      { what: `deletion → first connection refused, ${where}`, median: deleted.median, goal },
    ];
  }

  async measureApi(trials, bare) {
    const [calls, route, rowChange] = [[], [], []];
    for (let trial = 0; trial < trials; trial += 1) {
      calls.push(await changeUser((...request) => this.timed(...request), `timed${trial}`, this.groupId));
      route.push((await bare.call('GET', '/1000')).ms);
      rowChange.push(await this.changeOneRow());
    }
    return [
      ...apiRows('a node beside it follows each', calls),
      { what: '  a bare route with 1 kB, for comparison', median: medianOf(route) },
      { what: '  a transaction that changes one row, for comparison', median: medianOf(rowChange) },
    ];
  }

  /** Calls the API. The node has followed before the next call, because it shares the processors with management here. */
  async timed(method, path, body) {
    const answer = await this.service.call(method, path, body);
    while (!(await this.areInStep()));
    return answer;
  }

  /** BEGIN, one UPDATE, and COMMIT, which waits for the disk. */
  async changeOneRow() {
    const began = performance.now();
    await this.database.transaction((manager) =>
      manager.query(`UPDATE counters SET value = value WHERE name = 'revision'`),
    );
    return performance.now() - began;
  }

  /** Changes of a group with so many users, each of which a new user overtakes. */
  async measureBulk(bulk) {
    const { text } = await this.service.call('POST', '/api/group', { name: 'bulk', inbound_tags: TAGS.slice(0, 1) });
    const { id } = JSON.parse(text);
    await this.service.call('PUT', `/api/group/${id}`, { is_disabled: true });
    await this.database.query(
      `INSERT INTO user_groups SELECT id, $1 FROM users WHERE status = 'active' ORDER BY id LIMIT $2`,
      [id, bulk],
    );
    const [overtaken, whole, memory] = [[], [], []];
    for (let trial = 0; trial < BULK_TRIALS; trial += 1) {
      await this.service.call('PUT', `/api/group/${id}`, { is_disabled: trial % 2 === 1 });
      const began = performance.now();
      await wait(INTO_BULK_MS);
      const user = await this.create();
      const answered = performance.now();
      await this.everywhere(user, true);
      overtaken.push(performance.now() - answered);
      while (!(await this.areInStep())) memory.push(residentMebibytes(this.service.child.pid));
      whole.push(performance.now() - began);
    }
    return [
      {
        what: `change of a group with ${bulk.toLocaleString('en')} users, until the node has it`,
        median: medianOf(whole),
      },
      { what: '  new user meanwhile → first connection passes', median: medianOf(overtaken), goal: OVERTAKING_GOAL_MS },
      { what: '  memory of management, most', median: Math.max(...memory), unit: 'MiB', goal: MEMORY_GOAL_MIB },
    ];
  }

  /** Whether all nodes have the newest change. */
  async areInStep() {
    await wait(POLL_MS);
    const [{ behind }] = await this.database.query(
      `SELECT count(*)::integer AS behind FROM nodes
       WHERE synced_revision < (SELECT value FROM counters WHERE name = 'revision')`,
    );
    return behind === 0;
  }

  /** From the last byte beyond the limit to the first moment at which every node refuses the user. */
  async measureLimit() {
    const times = [];
    for (let trial = 0; trial < LIMIT_TRIALS; trial += 1) {
      const user = await this.create({ data_limit: MEBIBYTE });
      await this.everywhere(user, true);
      await transfer(this.nodes[0].ports[0], user.proxy_settings.vless.id, this.echo, MEBIBYTE);
      const began = performance.now();
      await this.everywhere(user, false);
      times.push(performance.now() - began);
    }
    const what = `limit crossed → refused by all ${this.nodes.length} nodes, worst of ${LIMIT_TRIALS}`;
    return { what, median: Math.max(...times), goal: LIMIT_GOAL_MS };
  }
}
