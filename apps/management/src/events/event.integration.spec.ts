import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { until } from '@rampart/testing';
import { LEAF } from '../nodes/testing/certificates.js';
import { SUDO, TestManagement } from '../testing/test-management.js';
import { UserLifeCycle } from '../users/life-cycle/user-life-cycle.js';

const NODE = {
  name: 'near',
  address: '127.0.0.1',
  port: 9, // no program listens on this port
  connection_type: 'grpc',
  server_ca: LEAF,
  keep_alive: 60,
  core_config_id: 1,
  api_key: '4f9c1d5e-60f7-4a3a-9d0b-2f5b8a7c6e11',
};

let management: TestManagement;
let replica: TestManagement;
let root: string;
let plain: string;
const open: Stream[] = [];
beforeAll(async () => {
  management = await TestManagement.start();
  const { options } = management.database;
  replica = await TestManagement.start({
    DATABASE_URL: 'url' in options ? String(options.url) : '',
    RAMPART_DATA_DIR: management.folder,
  });
  plain = await management.plainAdmin('plain');
  root = await management.login(SUDO.username, SUDO.password);
  for (const { app } of [management, replica]) await app.listen(0, '127.0.0.1');
});
afterAll(async () => {
  await replica?.close();
  await management?.close();
});
beforeEach(() => {
  for (const stream of open.splice(0)) stream.close();
});

/** An open stream with the events that have come. */
class Stream {
  readonly events: { id: string | undefined; event: string; data: Record<string, unknown> }[] = [];
  hasEnded = false;
  private text = '';

  private constructor(readonly response: IncomingMessage) {
    response.on('data', (chunk) => this.read(String(chunk)));
    response.on('close', () => {
      this.hasEnded = true;
    });
    response.on('error', () => undefined);
  }

  static async open(at: TestManagement, headers: Record<string, string>): Promise<Stream> {
    const request = get(`${await at.app.getUrl()}/api/events`, { headers });
    const [response]: IncomingMessage[] = await once(request, 'response');
    const stream = new Stream(response!);
    open.push(stream);
    return stream;
  }

  close(): void {
    this.response.destroy();
  }

  /** Waits until an event meets the condition, and returns it. */
  async event(condition: (event: Stream['events'][number]) => boolean): Promise<Stream['events'][number]> {
    await until((saw) => saw(this.events).some(condition));
    return this.events.find(condition)!;
  }

  private read(chunk: string): void {
    this.text += chunk;
    for (;;) {
      const end = this.text.indexOf('\n\n');
      if (end < 0) return;
      const lines = this.text.slice(0, end).split('\n');
      this.text = this.text.slice(end + 2);
      const member = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      const event = member('event');
      if (event !== undefined) this.events.push({ id: member('id'), event, data: JSON.parse(member('data') ?? '{}') });
    }
  }
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const about =
  (type: string, action: string, key: string | null) =>
  ({ data }: { data: Record<string, unknown> }) =>
    data['type'] === type && data['action'] === action && data['key'] === key;

describe('GET /api/events', () => {
  it('tells sudo admins of every change, from any replica', async () => {
    const streams = [await Stream.open(management, bearer(root)), await Stream.open(replica, bearer(root))];
    for (const { response } of streams)
      expect(response.headers['content-type']).toBe('text/event-stream; charset=utf-8');
    const { body } = await management.call('POST', '/api/group', { name: 'heard', inbound_tags: ['Shadowsocks TCP'] });
    await replica.call('POST', '/api/user', { username: 'heard' }, root);
    for (const stream of streams) {
      const group = await stream.event(about('group', 'create', String(Object(body).id)));
      expect(group).toEqual({
        id: expect.stringMatching(/^\d+$/),
        event: 'group',
        data: expect.objectContaining({ by: 'root' }),
      });
      await stream.event(about('user', 'create', 'heard'));
      expect(stream.events[0]?.event).toBe('ready');
      expect(JSON.stringify(stream.events)).not.toContain('owners');
    }
  });

  it('tells of the states of nodes, and of users whom the service changes', async () => {
    const stream = await Stream.open(management, bearer(root));
    const { body } = await management.call('POST', '/api/node', NODE);
    const key = String(Object(body).id);
    await stream.event(about('node', 'create', key));
    await stream.event((event) => about('node', 'state', key)(event) && event.data['status'] === 'error');
    await management.call('POST', '/api/user', { username: 'ending', expire: '2099-01-01' });
    await management.database.query(`UPDATE users SET expire = now() - interval '1 day' WHERE username = 'ending'`);
    await management.app.get(UserLifeCycle).run();
    const state = await stream.event(about('user', 'state', 'ending'));
    expect(state.data).toEqual({ type: 'user', action: 'state', key: 'ending', status: 'expired', by: null });
  });

  it('tells plain admins only of what they may see', async () => {
    const stream = await Stream.open(management, bearer(plain));
    await management.call('POST', '/api/core', {
      name: 'x',
      config: {
        inbounds: [{ tag: 'x', protocol: 'vless', port: 1, settings: { decryption: 'none' } }],
        outbounds: [{ tag: 'o', protocol: 'freedom' }],
      },
    });
    await management.call('POST', '/api/user', { username: 'theirs' });
    await management.call('POST', '/api/user', { username: 'mine' }, plain);
    expect(await stream.event(about('user', 'create', 'mine'))).toMatchObject({
      data: { type: 'user', action: 'create', key: 'mine' },
    });
    expect(stream.events.map(({ event, data }) => [event, data['key']])).toEqual([
      ['ready', undefined],
      ['user', 'mine'],
    ]);
  });

  it('tells nothing of a probe, which has changed nothing yet', async () => {
    const stream = await Stream.open(management, bearer(root));
    const probed = { remark: 'r', inbound_tag: 'Shadowsocks TCP', address: ['192.0.2.1'], port: 1, priority: 1 };
    const { body } = await management.call('POST', '/api/host', probed);
    await management.call('POST', `/api/hosts/${Object(body).id}/probe`, {});
    await management.call('POST', '/api/hosts/probe', probed);
    const audit = await management.call('GET', '/api/audit?limit=2');
    expect(JSON.stringify(audit.body)).toContain('host/unsaved');
    await management.call('POST', '/api/user', { username: 'after_probes' });
    await stream.event(about('user', 'create', 'after_probes'));
    expect(stream.events.map(({ event, data }) => [event, data['action']])).toEqual([
      ['ready', undefined],
      ['host', 'create'],
      ['user', 'create'],
    ]);
  });

  it('goes on after the last event, at another replica too, and says when it cannot', async () => {
    const first = await Stream.open(management, bearer(root));
    await management.call('POST', '/api/user', { username: 'before' });
    const { id } = await first.event(about('user', 'create', 'before'));
    first.close();
    await management.call('POST', '/api/user', { username: 'meanwhile' });
    await management.call('POST', '/api/user', { username: 'later' });
    const again = await Stream.open(replica, { ...bearer(root), 'last-event-id': String(id) });
    await again.event(about('user', 'create', 'later'));
    expect(again.events.map(({ data }) => data['key'])).toEqual(['meanwhile', 'later']);
    for (const unknown of ['999999999', 'abc', '']) {
      const reset = await Stream.open(management, { ...bearer(root), 'last-event-id': unknown });
      await reset.event(({ event }) => event === 'reset');
      expect(reset.events).toHaveLength(1);
    }
  });

  it('goes on after an entry of the log that is no change, such as a login', async () => {
    await management.login(SUDO.username, SUDO.password);
    const { body } = await management.call('GET', '/api/audit?limit=1');
    const [{ id, action }] = (body as { entries: { id: number; action: string }[] }).entries as [
      { id: number; action: string },
    ];
    expect(action).toBe('admin.login');
    await management.call('POST', '/api/user', { username: 'after-a-login' });
    const stream = await Stream.open(management, { ...bearer(root), 'last-event-id': String(id) });
    await stream.event(about('user', 'create', 'after-a-login'));
    expect(stream.events).toHaveLength(1);
    stream.close();
  });

  it('works with a session cookie, and ends with the session', async () => {
    const login = await management.request('POST', '/api/admin/session', SUDO, '', { 'x-rampart-dashboard': '1' });
    const cookie = String(login.headers['set-cookie']).split(';')[0]!;
    const stream = await Stream.open(replica, { cookie });
    await stream.event(({ event }) => event === 'ready');
    await management.call('DELETE', `/api/session/${Object(login.body).id}`);
    await until(() => stream.hasEnded);
  });

  it('ends when the admin is disabled', async () => {
    const token = await management.plainAdmin('leaving');
    const stream = await Stream.open(management, bearer(token));
    await stream.event(({ event }) => event === 'ready');
    await management.call('PUT', '/api/admin/leaving', { is_disabled: true });
    await until(() => stream.hasEnded);
  });

  it('has a limit of streams of one admin', async () => {
    const token = await management.plainAdmin('greedy');
    const streams: Stream[] = [];
    for (let count = 0; count < 51; count += 1) streams.push(await Stream.open(management, bearer(token)));
    expect(streams.map(({ response }) => response.statusCode).filter((status) => status !== 200)).toEqual([503]);
  });

  it('security row 120: an API token has fewer streams than its admin, and all of its tokens together leave it some', async () => {
    const login = await management.plainAdmin('owner');
    const opened = async (by: string, count: number): Promise<number> => {
      const streams: Stream[] = [];
      for (let index = 0; index < count; index += 1) streams.push(await Stream.open(management, bearer(by)));
      return streams.filter(({ response }) => response.statusCode === 200).length;
    };
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const taken: number[] = [];
    for (const name of ['one', 'two', 'three']) {
      const { body } = await management.call('POST', '/api/admin/tokens', { name, scope: 'read', expires_at }, login);
      taken.push(await opened(Object(body).token, 22));
    }
    expect([...taken, await opened(login, 11)]).toEqual([20, 20, 0, 10]);
  });

  it('is closed to callers without a login', async () => {
    const { response } = await Stream.open(management, {});
    expect(response.statusCode).toBe(401);
  });
});
