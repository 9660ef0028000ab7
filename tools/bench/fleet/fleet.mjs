// A management with many nodes, and what can be done to it.
import { setTimeout as wait } from 'node:timers/promises';
import { API_KEY } from '../node/node-process.mjs';
import { allConnected } from '../nodes.mjs';
import { cpuSeconds, residentMebibytes } from '../subscription/process-figures.mjs';

export const POLL_MS = 20;
const CHANGES = 15;
const NODE_LOCK = 0x6e_6f_64_65;
/** The group whose members are changed together; the seed leaves it empty. */
const GROUP_ID = 200;
export const now = () => performance.timeOrigin + performance.now();
const median = (times) => times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)];

/** The tags of the inbounds of a core of doubles. */
export function tagsOf(core) {
  const number = core === 0 ? '' : ` ${core}`;
  return [`vless${number}`, `Shadowsocks TCP${number}`];
}

export class Fleet {
  constructor({ service, database, metricsPort, doubles, cores }) {
    Object.assign(this, { service, database, metricsPort, doubles, cores, created: 0 });
  }

  async register() {
    const coreIds = [];
    for (let core = 0; core < this.cores; core += 1) coreIds.push(await this.coreOfDoubles(core));
    for (const [index, port] of this.doubles.ports.entries()) {
      await this.service.call('POST', '/api/node', {
        ...{ name: `double ${port}`, address: '127.0.0.1', port, connection_type: 'grpc', keep_alive: 0 },
        ...{ server_ca: this.doubles.ca, core_config_id: coreIds[index % this.cores], api_key: API_KEY },
      });
    }
    await allConnected(this.service);
  }

  /** The core of the seed with an inbound more, under tags of its own. */
  async coreOfDoubles(core) {
    const { config } = JSON.parse((await this.service.call('GET', '/api/core/1')).text);
    const [vlessTag, shadowsocksTag] = tagsOf(core);
    const vless = { tag: vlessTag, port: 1, protocol: 'vless', settings: { clients: [], decryption: 'none' } };
    const inbounds = [{ ...config.inbounds[0], tag: shadowsocksTag }, vless];
    const body = { name: `doubles ${core}`, config: { ...config, inbounds } };
    return JSON.parse((await this.service.call('POST', '/api/core', body)).text).id;
  }

  /** Milliseconds until all nodes have got a full set of users anew, as after a start of management. */
  async startAll() {
    const served = await this.servedUsers();
    const startedWith = this.doubles.ports.map((_, index) => served[index % this.cores]);
    const { held } = await this.doubles.expect({ startedWith });
    await this.service.call('POST', '/api/nodes/reconnect');
    const answered = now();
    const took = (await held) - answered;
    await this.recovered();
    return took;
  }

  /** Waits until all nodes are connected, also those that have failed. */
  async recovered() {
    const others = `SELECT count(*)::integer AS others FROM nodes WHERE status <> 'connected'`;
    while ((await this.database.query(others))[0].others > 0) await wait(POLL_MS);
  }

  /** The number of users of each core. */
  async servedUsers() {
    const served = [];
    for (let core = 0; core < this.cores; core += 1) {
      const [{ users }] = await this.database.query(
        `SELECT count(*)::integer AS users FROM users WHERE status IN ('active', 'on_hold') AND EXISTS (
           SELECT FROM user_groups JOIN groups ON groups.id = user_groups.group_id
           WHERE user_groups.user_id = users.id AND groups.inbound_tags && $1)`,
        [tagsOf(core)],
      );
      served.push(users);
    }
    return served;
  }

  /** Milliseconds from the API's answer until all doubles that are well hold a new user. */
  async oneChange() {
    this.created += 1;
    const username = `fleet${this.created}`;
    const { held } = await this.doubles.expect({ name: username });
    await this.service.call('POST', '/api/user', { username, group_ids: [1] });
    const answered = now();
    return (await held) - answered;
  }

  async medianChange() {
    const times = [];
    for (let index = 0; index < CHANGES; index += 1) times.push(await this.oneChange());
    return median(times);
  }

  /** Changes the inbounds of a group with so many users. Returns milliseconds until all doubles that are well hold them. */
  async changeGroup(users) {
    const { answered, held } = await this.beginGroupChange(users);
    return (await held) - answered;
  }

  /** The same, until all nodes hold them, the real ones too, and until all doubles hold a user who is made meanwhile. */
  async changeGroupAndUser(users) {
    const { answered, held } = await this.beginGroupChange(users);
    const overtaking = await this.oneChange();
    const doubles = (await held) - answered;
    while (!(await this.areInStep())) await wait(POLL_MS);
    return { doubles, all: now() - answered, overtaking };
  }

  async beginGroupChange(users) {
    await this.database.query('DELETE FROM user_groups WHERE group_id = $1', [GROUP_ID]);
    await this.database.query(
      `INSERT INTO user_groups SELECT id, $1 FROM users WHERE status = 'active' ORDER BY id LIMIT $2`,
      [GROUP_ID, users],
    );
    this.grantsOne = !this.grantsOne;
    const granted = Array.from({ length: this.cores }, (_, core) => tagsOf(core).slice(0, this.grantsOne ? 1 : 2));
    const { held } = await this.doubles.expect({ count: users });
    await this.service.call('PUT', `/api/group/${GROUP_ID}`, { inbound_tags: granted.flat() });
    return { answered: now(), held };
  }

  /** Whether all nodes, the real ones too, have the newest change. */
  async areInStep() {
    const [{ behind }] = await this.database.query(
      `SELECT count(*)::integer AS behind FROM nodes
       WHERE status = 'connected' AND synced_revision < (SELECT value FROM counters WHERE name = 'revision')`,
    );
    return behind === 0;
  }

  async emails() {
    const rows = await this.database.query('SELECT id, username FROM users ORDER BY id');
    return rows.map(({ id, username }) => `${id}.${username}`);
  }

  async collectedNodes() {
    const [{ done }] = await this.database.query(
      'SELECT count(*)::integer AS done FROM nodes WHERE traffic_number > 0',
    );
    return done;
  }

  /** What the work costs: milliseconds of time, of the database, and of management's CPU. */
  async cost(work) {
    const { pid } = this.service.child;
    const [database, cpu, began] = [await this.databaseMs(), cpuSeconds(pid), performance.now()];
    const result = await work();
    const took = performance.now() - began;
    return { result, took, database: (await this.databaseMs()) - database, cpu: (cpuSeconds(pid) - cpu) * 1000 };
  }

  async databaseMs() {
    await this.database.query('SELECT pg_stat_clear_snapshot()');
    const [{ ms }] = await this.database.query(
      'SELECT active_time AS ms FROM pg_stat_database WHERE datname = current_database()',
    );
    return Number(ms);
  }

  /** Runs work, and returns p99 of /sub and of the delay of management's event loop meanwhile, and its highest memory. */
  async watched(work) {
    const { text } = await this.service.call('GET', '/api/users?load_sub=true&limit=1&status=active');
    const path = `/sub/${JSON.parse(text).users[0].subscription_url.split('/').at(-1)}/links_base64`;
    const line = this.service.another();
    const times = [];
    let memory = 0;
    let over = false;
    await this.eventLoopDelay();
    const watching = (async () => {
      while (!over) {
        times.push((await line.call('GET', path)).ms);
        memory = Math.max(memory, residentMebibytes(this.service.child.pid));
        await wait(5);
      }
    })();
    const result = await work().finally(() => {
      over = true;
    });
    await watching;
    line.disconnect();
    const sub = times.toSorted((one, other) => one - other)[Math.ceil(times.length * 0.99) - 1];
    return { result, sub, delay: await this.eventLoopDelay(), memory };
  }

  async eventLoopDelay() {
    const answer = await fetch(`http://127.0.0.1:${this.metricsPort}/metrics`);
    return Number(/^nodejs_eventloop_lag_p99_seconds (\S+)/m.exec(await answer.text())?.[1]) * 1000;
  }

  /** How many nodes each replica serves, the fewest first. */
  async shares() {
    const rows = await this.database.query(
      `SELECT count(*)::integer AS nodes FROM pg_locks WHERE locktype = 'advisory' AND classid = $1::oid AND objsubid = 2
         AND granted GROUP BY pid ORDER BY 1`,
      [NODE_LOCK],
    );
    return rows.map(({ nodes }) => nodes);
  }

  /** Milliseconds until so many replicas share all nodes evenly. */
  async shared(replicas) {
    const [{ all }] = await this.database.query('SELECT count(*)::integer AS all FROM nodes');
    const began = performance.now();
    const isEven = (shares) =>
      shares.length === replicas &&
      shares.reduce((total, nodes) => total + nodes, 0) === all &&
      shares.at(-1) <= Math.ceil(all / replicas);
    while (!isEven(await this.shares())) await wait(POLL_MS);
    return performance.now() - began;
  }
}
