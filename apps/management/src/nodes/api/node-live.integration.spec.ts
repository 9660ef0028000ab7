import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { nodeEmail } from '@rampart/domain';
import { NodeClientError } from '@rampart/node-client';
import { until } from '@rampart/testing';
import { SUDO } from '../../testing/test-management.js';
import { MAX_LOG_READERS } from '../logs/node-log.service.js';
import { ManagementWithNodeDoubles } from '../testing/management-with-node-doubles.js';

const STATS = {
  mem_total: 8_000_000_000,
  mem_used: 3_000_000_000,
  cpu_cores: 4,
  cpu_usage: 12.5,
  incoming_bandwidth_speed: 100,
  outgoing_bandwidth_speed: 200,
  uptime: 3600,
};
const NOT_FOUND = { status: 404, body: { detail: 'Node not found', code: 'NODE_NOT_FOUND' } };
const NOT_CONNECTED = { status: 409, body: { detail: 'Node is not connected', code: 'NODE_NOT_CONNECTED' } };
const UNAVAILABLE = { status: 503, body: { detail: 'cannot reach node', code: 'NODE_UNAVAILABLE' } };

let nodes: ManagementWithNodeDoubles;
beforeAll(async () => {
  nodes = await ManagementWithNodeDoubles.start();
});
afterAll(() => nodes?.close());

const read = (path: string) => nodes.management.call('GET', `/api/${path}`);

async function disabled(): Promise<number> {
  const id = await nodes.connectedNode();
  await nodes.management.call('PUT', `/api/node/${id}`, { status: 'disabled' });
  return id;
}

describe('live data of nodes', () => {
  it('the API of nodes returns the statistics of the machine of a node', async () => {
    const id = await nodes.connectedNode();
    const { closed } = nodes.double(id);
    expect(await read(`node/${id}/realtime_stats`)).toEqual({ status: 200, body: STATS });
    expect(nodes.double(id).closed).toBe(closed + 1);
    nodes.double(id).fail('systemStats', 'before');
    expect(await read(`node/${id}/realtime_stats`)).toEqual(UNAVAILABLE);
    expect(await read('node/4711/realtime_stats')).toEqual(NOT_FOUND);
    expect(await read(`node/${await disabled()}/realtime_stats`)).toEqual(NOT_CONNECTED);
  });

  it('the API of nodes returns null for a node that does not answer, and the statistics of the others', async () => {
    const ids = [await nodes.connectedNode(), await nodes.connectedNode()];
    const off = await disabled();
    nodes.double(ids[0]!).fail('systemStats', 'before', 'TIMEOUT', 'no answer');
    const { status, body } = await read('nodes/realtime_stats');
    expect(status).toBe(200);
    expect(body).toMatchObject({ [ids[0]!]: null, [ids[1]!]: STATS });
    expect(Object.keys(Object(body))).not.toContain(String(off));
  });

  it('the API of nodes returns the addresses from which a user is connected', async () => {
    const id = await nodes.connectedNode();
    const user = await nodes.fixture.createUser('dora.d@x', await nodes.fixture.createGroup());
    const path = `node/${id}/online_stats/${encodeURIComponent(user.username)}`;
    expect(await read(path)).toEqual({ status: 200, body: { [id]: 0 } });
    expect(await read(`${path}/ip`)).toEqual({ status: 200, body: { [id]: {} } });
    const seen = { '203.0.113.7': 1_800_000_000n, '2001:db8::1': 1_800_000_060n };
    nodes.double(id).online.set(nodeEmail(user.id, user.username), seen);
    expect(await read(path)).toEqual({ status: 200, body: { [id]: 2 } });
    const body = { [id]: { '203.0.113.7': 1_800_000_000, '2001:db8::1': 1_800_000_060 } };
    expect(await read(`${path}/ip`)).toEqual({ status: 200, body });

    const unknown = { status: 404, body: { detail: 'User not found', code: 'USER_NOT_FOUND' } };
    for (const end of ['', '/ip']) {
      expect(await read(`node/${id}/online_stats/nobody${end}`)).toEqual(unknown);
      expect(await read(`node/4711/online_stats/nobody${end}`)).toEqual(NOT_FOUND);
      nodes.double(id).fail('userOnline', 'before');
      expect(await read(`${path}${end}`)).toEqual(UNAVAILABLE);
    }
  });

  it('security row 36: the API of nodes asks no node about a user whom it does not serve, who is not connected there', async () => {
    const id = await nodes.connectedNode();
    const user = await nodes.fixture.createUser('eve', await nodes.fixture.createGroup(['elsewhere']));
    const disabledUser = await nodes.fixture.createUser('off', await nodes.fixture.createGroup());
    await nodes.fixture.changeUser(disabledUser, { status: 'disabled' });
    for (const { username } of [user, disabledUser]) {
      expect(await read(`node/${id}/online_stats/${username}`)).toEqual({ status: 200, body: { [id]: 0 } });
      expect(await read(`node/${id}/online_stats/${username}/ip`)).toEqual({ status: 200, body: { [id]: {} } });
    }
    expect(nodes.double(id).calls).not.toContain('userOnline');
    expect(await read(`node/${await disabled()}/online_stats/eve`)).toEqual(NOT_CONNECTED);
  });

  it('the API of nodes returns the minimum version of nodes', async () => {
    expect(await read('node/settings')).toEqual({ status: 200, body: { min_node_version: 'v0.1.0' } });
  });
});

/** Starts listening, and returns a function that opens the log of a node over HTTP. */
async function listening(
  to: ManagementWithNodeDoubles,
): Promise<(id: number, by?: string) => Promise<IncomingMessage>> {
  const { app } = to.management;
  await app.listen(0, '127.0.0.1');
  const port = Number(new URL(await app.getUrl()).port);
  const login = await to.management.login(SUDO.username, SUDO.password);
  return async (id, by = login) => {
    const headers = { authorization: `Bearer ${by}` };
    const [answer] = await once(get({ port, path: `/api/node/${id}/logs`, headers, agent: false }), 'response');
    return answer;
  };
}

/** Returns a function that opens a connection and sends several requests for a log on it at once. */
async function asking({ management }: ManagementWithNodeDoubles, id: number): Promise<() => Socket> {
  const port = Number(new URL(await management.app.getUrl()).port);
  const token = await management.login(SUDO.username, SUDO.password);
  const lines = [`GET /api/node/${id}/logs HTTP/1.1`, 'host: a', `authorization: Bearer ${token}`, '', ''];
  return () => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.write(lines.join('\r\n'));
    return socket;
  };
}

/** The number of statements that wait for a lock. */
async function waiting({ management }: ManagementWithNodeDoubles): Promise<number> {
  const rows: unknown[] = await management.database.query(
    "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
  );
  return rows.length;
}

describe('GET /api/node/{id}/logs', () => {
  let open: (id: number, by?: string) => Promise<IncomingMessage>;
  beforeAll(async () => {
    open = await listening(nodes);
  });

  async function textOf(answer: IncomingMessage, end: string): Promise<string> {
    let text = '';
    answer.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    await until((saw) => saw(text).endsWith(end));
    return text;
  }

  it('security row 23: relays the lines as events, and ends with the client', async () => {
    const id = await nodes.connectedNode();
    const double = nodes.double(id);
    double.lines = ['one', 'two\r\nid: 9\nthree'];
    const answer = await open(id);
    expect(answer).toMatchObject({
      statusCode: 200,
      headers: {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
      },
    });
    expect(await textOf(answer, 'three\n\n')).toBe(': open\n\ndata: one\n\ndata: two\ndata: id: 9\ndata: three\n\n');
    const { closed } = double;
    expect(double.readers).toBe(1);
    answer.destroy();
    await until((saw) => saw(double.readers) === 0);
    expect(double.closed).toBe(closed + 1);
  });

  it('security row 23: a slow reader does not have everything read for it', async () => {
    const id = await nodes.connectedNode();
    const double = nodes.double(id);
    let produced = 0;
    double.logs = async function* () {
      for (; ; produced += 1) yield { detail: 'x'.repeat(1_000), sequence: 0n };
    };
    const answer = await open(id);
    answer.pause();
    let before = -1;
    await until(async () => {
      const stands = produced === before;
      before = produced;
      await new Promise((resolve) => setTimeout(resolve, 50));
      return stands;
    });
    // Only slightly more lines are read than the buffers of the sockets hold.
    expect(produced * 1_000).toBeLessThan(16 * 1024 * 1024);
    answer.destroy();
  });

  it('security row 23: has a limit of readers, and a place as soon as one leaves', async () => {
    const id = await nodes.connectedNode();
    const double = nodes.double(id);
    const answers = await Promise.all(Array.from({ length: MAX_LOG_READERS }, () => open(id)));
    expect(answers.every(({ statusCode }) => statusCode === 200)).toBe(true);
    const full = {
      status: 503,
      body: { detail: 'Too many logs are being read: close one', code: 'TOO_MANY_LOG_READERS' },
    };
    expect(await read(`node/${id}/logs`)).toEqual(full);
    answers.pop()?.destroy();
    await until((saw) => saw(double.readers) === MAX_LOG_READERS - 1);
    const next = await open(id);
    expect(next.statusCode).toBe(200);
    for (const answer of [next, ...answers]) answer.destroy();
    await until((saw) => saw(double.readers) === 0);
  });

  it('security row 120: an API token has fewer readers than there may be', async () => {
    const id = await nodes.connectedNode();
    const double = nodes.double(id);
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const body = { name: 'reader', scope: 'read', grants: ['secrets'], expires_at };
    const { token } = Object((await nodes.management.call('POST', '/api/admin/tokens', body)).body);
    const answers = await Promise.all(Array.from({ length: 21 }, () => open(id, token)));
    expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([...Array<number>(20).fill(200), 503]);
    answers.push(await open(id));
    expect(answers.at(-1)?.statusCode).toBe(200);
    for (const answer of answers) answer.destroy();
    await until((saw) => saw(double.readers) === 0);
  });

  it('frees the places of readers who disconnected', async () => {
    const id = await nodes.connectedNode();
    const double = nodes.double(id);
    const ask = await asking(nodes, id);
    const sockets = Array.from({ length: MAX_LOG_READERS }, ask);
    await until((saw) => saw(double.readers) === MAX_LOG_READERS);
    for (const socket of sockets) socket.destroy();
    await until((saw) => saw(double.readers) === 0);
    const next = await open(id);
    expect(next.statusCode).toBe(200);
    next.destroy();
  });

  it('closes the connection to the node for a reader who disconnected before it was admitted', async () => {
    const id = await nodes.connectedNode();
    const double = nodes.double(id);
    const { closed } = double;
    const connections = () => nodes.connections.filter(([to]) => to === id).length;
    const before = connections();
    const ask = await asking(nodes, id);
    const { server } = nodes.management.app.getHttpAdapter().getInstance();
    const sockets = () => new Promise((resolve) => server.getConnections((_, count) => resolve(count)));
    const holder = nodes.management.database.createQueryRunner();
    await holder.startTransaction();
    await holder.query('LOCK TABLE admins IN ACCESS EXCLUSIVE MODE');
    const socket = ask();
    try {
      await until(async (saw) => saw(await waiting(nodes)) > 0);
    } finally {
      socket.destroy();
      await until(async (saw) => saw(await sockets()) === 0);
      await holder.rollbackTransaction();
      await holder.release();
    }
    await until((saw) => saw(connections()) === before + 1);
    await until((saw) => saw(double.closed) === closed + 1);
  });

  it('answers with the reason when there is no log', async () => {
    const id = await nodes.connectedNode();
    expect(await read('node/4711/logs')).toEqual(NOT_FOUND);
    expect(await read(`node/${await disabled()}/logs`)).toEqual(NOT_CONNECTED);
    nodes.double(id).info = () =>
      nodes
        .double(4711)
        .systemStats()
        .then(() => Promise.reject(new Error('unused')));
    nodes.double(4711).fail('systemStats', 'before');
    const { closed } = nodes.double(id);
    expect(await read(`node/${id}/logs`)).toEqual(UNAVAILABLE);
    expect(nodes.double(id).closed).toBeGreaterThan(closed);
  });

  it('ends the log when the node is gone', async () => {
    const id = await nodes.connectedNode();
    nodes.double(id).fail('logs', 'before');
    const answer = await open(id);
    await once(answer.resume(), 'end');
    expect(answer.complete).toBe(true);
  });
});

describe('logs that are open when management stops', () => {
  it('are ended completely and do not delay the shutdown', async () => {
    const ending = await ManagementWithNodeDoubles.start();
    const open = await listening(ending);
    const id = await ending.connectedNode();
    const double = ending.double(id);
    double.lines = ['last words'];
    const [read, unread] = [await open(id), await open(id)];
    const ended = once(read.resume(), 'end');
    // The connection of this log to the node is still being opened.
    double.info = () =>
      new Promise((_, reject) => {
        setTimeout(() => reject(new NodeClientError('TIMEOUT', 'late')), 500);
      });
    const { length } = ending.connections;
    const late = open(id);
    await until((saw) => saw(ending.connections).length > length);
    const begin = performance.now();
    await ending.close();
    // Connections that stay open are closed after four seconds.
    expect(performance.now() - begin).toBeLessThan(3_500);
    await ended;
    expect([read.complete, double.readers, (await late).statusCode]).toEqual([true, 0, 503]);
    unread.destroy();
  });
});
