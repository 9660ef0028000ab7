import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Backend, type NodeClient, NodeClientError, StatType, User } from '@rampart/node-client';
import { enginePath, eventually, freePort } from '@rampart/testing';
import { enginePids } from '../testing/engine-pids.js';
import { connectHttp2, KEY, send, sendHttp2 } from '../testing/https.js';
import { RunningNode } from '../testing/running-node.js';

/** A refusal: HTTP status, gRPC status, text (or how it begins). */
type Refusal = readonly [http: number, grpc: number, text: string | RegExp];

interface Row {
  /** The situation, with its section of node-reference.md. */
  readonly situation: string;
  /** What the reference answers, REST / gRPC. */
  readonly theirs: string;
  readonly ours: 'ok' | Refusal;
  /** The decision (spec/decisions.md, Node) that says so. */
  readonly why: string;
  readonly call: (client: NodeClient) => Promise<unknown>;
}

const NOT_INITIALIZED: Refusal = [500, 14, 'backend not initialized'];
const BEFORE_START = 'Before Start: /info and Stop answer; everything else is refused';
const MISSING = 'Missing or unknown argument: 400 / INVALID_ARGUMENT';
const BY_DIFFERENCE = 'SyncUser(s): a user that the engine would refuse is refused by name';

const user = (email: string, fields: { id?: string; flow?: string; inbounds?: string[] } = {}): User =>
  User.fromPartial({
    email,
    proxies: { vless: { id: fields.id ?? randomUUID(), flow: fields.flow ?? '' } },
    inbounds: fields.inbounds ?? ['vless'],
  });

/** One node, both doors: a test for each row and door. */
function rows(client: (transport: 'rest' | 'grpc') => NodeClient, table: readonly Row[]): void {
  for (const { situation, theirs, ours, why, call } of table) {
    it.each(['rest', 'grpc'] as const)(`${situation}; theirs: ${theirs}; why ours: ${why} (%s)`, async (transport) => {
      const outcome = await call(client(transport)).then(
        () => 'ok',
        (error: unknown) => error,
      );
      if (ours === 'ok') {
        expect(outcome).toBe('ok');
        return;
      }
      if (!(outcome instanceof NodeClientError)) throw outcome;
      const [http, grpc, text] = ours;
      expect(transport === 'rest' ? outcome.httpStatus : outcome.grpcCode).toBe(transport === 'rest' ? http : grpc);
      if (typeof text === 'string') expect(outcome.message).toBe(text);
      else expect(outcome.message).toMatch(text);
    });
  }
}

const emptyOf = async (answer: Promise<{ stats: readonly unknown[] }>): Promise<void> => {
  expect((await answer).stats).toEqual([]);
};

const firstLine = async (client: NodeClient): Promise<unknown> => {
  for await (const line of client.logs({ resume: false })) return line;
  return undefined;
};

describe('node-reference.md, row by row', () => {
  let folder: string;
  let engine: string;
  let node: RunningNode;
  let backend: Backend;
  const clients = new Map<string, NodeClient>();
  const clientOf = (transport: 'rest' | 'grpc'): NodeClient => {
    const client = clients.get(transport) ?? node.client(transport);
    clients.set(transport, client);
    return client;
  };
  const enginePid = async (): Promise<number> => {
    const [pid] = await enginePids(node.dataDir);
    if (pid === undefined) throw new Error('no engine runs');
    return pid;
  };
  const withKey = (transport: 'rest' | 'grpc', apiKey: string) => node.client(transport, { apiKey });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rampart-rows-'));
    engine = join(folder, 'xray');
    await symlink(enginePath(), engine);
    node = await RunningNode.open({ settings: { XRAY_EXECUTABLE_PATH: engine } });
    const settings = { clients: [], decryption: 'none' };
    const vless = { tag: 'vless', listen: '127.0.0.1', port: await freePort(), protocol: 'vless', settings };
    backend = Backend.fromPartial({
      config: JSON.stringify({ inbounds: [vless], outbounds: [{ tag: 'direct', protocol: 'freedom' }] }),
    });
  });
  afterAll(async () => {
    await node.close();
    await rm(folder, { recursive: true, force: true });
  });

  describe('§1.4 authentication', () => {
    const refused: Refusal = [401, 16, 'missing or wrong API key'];
    const why = 'API key: any failure is 401 / UNAUTHENTICATED';
    it.each(['rest', 'grpc'] as const)(`no UUID; theirs: 422 / 3; why ours: ${why} (%s)`, async (transport) => {
      const failure = withKey(transport, 'a-key-that-is-no-uuid').info();
      await expect(failure).rejects.toMatchObject({ code: 'UNAUTHENTICATED', message: refused[2] });
    });
    it.each(['rest', 'grpc'] as const)(`wrong UUID; theirs: 403 / 7; why ours: ${why} (%s)`, async (transport) => {
      const failure = withKey(transport, '11111111-1111-4111-8111-111111111111').info();
      const status = transport === 'rest' ? { httpStatus: 401 } : { grpcCode: 16 };
      await expect(failure).rejects.toMatchObject({ message: refused[2], ...status });
    });
    it(`no key at all; theirs: 401 / 16; why ours: ${why}`, async () => {
      expect(await send(node, 'GET', '/info', { headers: {} })).toMatchObject({ status: 401 });
    });
    it('Bearer alone; theirs: counts as none; why ours: both headers are taken', async () => {
      expect(await send(node, 'GET', '/info', { headers: KEY })).toMatchObject({ status: 200 });
    });
  });

  describe('§1.5 before Start', () => {
    rows(clientOf, [
      { situation: '/info', theirs: '200, node_version alone', ours: 'ok', why: BEFORE_START, call: (c) => c.info() },
      { situation: 'Stop', theirs: '500 / 14', ours: 'ok', why: 'Stop while stopped succeeds', call: (c) => c.stop() },
      ...(
        [
          ['stats', (c) => c.stats({})],
          ['system stats', (c) => c.systemStats()],
          ['backend stats', (c) => c.backendStats()],
          ['online', (c) => c.userOnline('1.a')],
          ['online addresses', (c) => c.userOnlineIps('1.a')],
          ['sync of one', (c) => c.syncUser([user('1.a')])],
          ['sync of all', (c) => c.syncUsers({ users: [] })],
          ['chunks', (c) => c.syncUsersChunked([user('1.a')])],
          ['logs', firstLine],
          ['traffic (ours)', (c) => c.collectTraffic({})],
        ] as const satisfies readonly (readonly [string, Row['call']])[]
      ).map(
        ([situation, call]): Row => ({ situation, theirs: '500 / 14', ours: NOT_INITIALIZED, why: BEFORE_START, call }),
      ),
      {
        situation: 'latency',
        theirs: '500 / OK and empty',
        ours: NOT_INITIALIZED,
        why: BEFORE_START,
        call: (c) => c.latencies(),
      },
      {
        situation: 'Start, configuration not JSON',
        theirs: '503 / 2',
        ours: [400, 3, /JSON/],
        why: 'Start refused: data at fault is 400 / INVALID_ARGUMENT',
        call: (c) => c.start({ ...backend, config: '{' }),
      },
      {
        situation: 'Start, unknown type',
        theirs: '503 / 2',
        ours: [400, 3, 'type 1 is not known here; use 0 (xray)'],
        why: 'Start refused: data at fault is 400 / INVALID_ARGUMENT',
        call: (c) => c.start({ ...backend, type: 1 }),
      },
      {
        situation: 'Start, the engine refuses',
        theirs: "503 / 2 with the engine's message",
        ours: [400, 3, /unknown config id: nothing/],
        why: "Start refused: 400 / INVALID_ARGUMENT with the engine's own words",
        call: (c) => c.start({ ...backend, config: '{"inbounds":[{"tag":"a","port":1,"protocol":"nothing"}]}' }),
      },
    ]);

    it('Start, undecodable; theirs: 400 / 13; why ours: data at fault is 400 / INVALID_ARGUMENT', async () => {
      const broken = Buffer.from([0x12, 0x7f]);
      expect(await send(node, 'POST', '/start', { body: broken })).toMatchObject({ status: 400 });
      const session = connectHttp2(node);
      const { headers } = await sendHttp2(
        session,
        { ':method': 'POST', ':path': '/service.NodeService/Start', 'content-type': 'application/grpc', ...KEY },
        Buffer.concat([Buffer.from([0, 0, 0, 0, broken.length]), broken]),
      );
      session.close();
      expect(headers['grpc-status']).toBe('3');
    });
  });

  describe('§1.5 while it runs', () => {
    beforeAll(async () => {
      await clientOf('grpc').start(backend);
    });

    const chunks = async (body: Buffer): Promise<unknown> => {
      const { status, body: answer } = await send(node, 'PUT', '/users/sync/chunked', { body });
      return [status, JSON.parse(answer.toString()).error];
    };

    rows(clientOf, [
      {
        situation: 'stats of a type outside the enum',
        theirs: '500 / 2 not implemented stat type',
        ours: [400, 3, 'type 6 is not a statistic; use 0 to 5'],
        why: MISSING,
        call: (c) => c.stats({ type: 6 as StatType }),
      },
      {
        situation: 'stats of a user without name',
        theirs: '500 / 2 email required',
        ours: [400, 3, 'name is missing: UserStat needs the email'],
        why: MISSING,
        call: (c) => c.stats({ type: StatType.UserStat }),
      },
      {
        situation: 'stats of an outbound without name',
        theirs: '500 / 2 tag required',
        ours: [400, 3, 'name is missing: Outbound needs the tag'],
        why: MISSING,
        call: (c) => c.stats({ type: StatType.Outbound }),
      },
      {
        situation: 'stats of an unknown name',
        theirs: '200, empty',
        ours: 'ok',
        why: 'Stats: a user never seen is an empty list',
        call: (c) => emptyOf(c.stats({ type: StatType.UserStat, name: '9.nobody' })),
      },
      {
        situation: 'online of a user never seen',
        theirs: '404 / 5',
        ours: 'ok',
        why: 'Stats: a user never seen is 0 / an empty list',
        call: async (c) => expect(await c.userOnline('9.nobody')).toEqual({ name: '9.nobody', value: 0n }),
      },
      {
        situation: 'online without name',
        theirs: '500 / 2 email required',
        ours: [400, 3, 'name is missing: online statistics need the email'],
        why: MISSING,
        call: (c) => c.userOnline(''),
      },
      {
        situation: 'latency without observatory',
        theirs: '502 / 2 xray outbound latency is not available',
        ours: [500, 2, 'xray outbound latency is not available: the configuration has no observatory'],
        why: "Errors: HTTP codes of the contract, gRPC codes of the reference's table",
        call: (c) => c.latencies(),
      },
      {
        situation: 'a user without e-mail',
        theirs: '400 / 2 email is required',
        ours: [400, 3, '1 user refused: "" (email is missing)'],
        why: BY_DIFFERENCE,
        call: (c) => c.syncUser([user('')]),
      },
      {
        situation: 'a user whose UUID does not parse',
        theirs: '200, skipped',
        ours: [400, 3, /^1 user refused: "1\.a" \(.+\)$/],
        why: BY_DIFFERENCE,
        call: (c) => c.syncUser([user('1.a', { id: 'x'.repeat(40) })]),
      },
      {
        situation: 'a user with an unknown flow',
        theirs: '200, and the next start fails',
        ours: [400, 3, /^1 user refused: "1\.a" \(.+\)$/],
        why: BY_DIFFERENCE,
        call: (c) => c.syncUser([user('1.a', { flow: 'xtls-rprx-origin' })]),
      },
      {
        situation: 'a user of an unknown tag',
        theirs: '200',
        ours: 'ok',
        why: 'Unknown inbound tag in a user: accepted and remembered',
        call: (c) => c.syncUser([user('2.b', { inbounds: ['of-later'] })]),
      },
      {
        situation: 'chunks without users',
        theirs: '400 / 3 no users received',
        ours: [400, 3, 'no users received'],
        why: "SyncUsersChunked: the reference's RPC",
        call: (c) => c.syncUsersChunked([]),
      },
    ]);

    it.each([
      ['missing final chunk indicator', Buffer.alloc(0)],
      ['missing chunk index 0', Buffer.from([4, 0x10, 1, 0x18, 1])],
      ['no users received', Buffer.from([2, 0x18, 1])],
      ['failed to read chunk payload: 9 bytes announced, 0 there', Buffer.from([9])],
    ])('chunk framing; theirs: 400 %s; why ours: the same', async (message, body) => {
      expect(await chunks(body)).toEqual([400, message]);
    });

    it('SyncUser, undecodable; theirs: 400 Failed to decode user; why ours: Errors, same status', async () => {
      expect(await send(node, 'PUT', '/user/sync', { body: Buffer.from([0x0a, 0x7f]) })).toMatchObject({ status: 400 });
    });

    it('an unknown path; theirs: 404 text, without a key 401; why ours: Errors', async () => {
      expect(await send(node, 'GET', '/nothing')).toMatchObject({ status: 404 });
      expect(await send(node, 'GET', '/nothing', { headers: {} })).toMatchObject({ status: 401 });
    });

    it('a wrong method; theirs: 405 without a body; why ours: 405 with Allow', async () => {
      expect(await send(node, 'PUT', '/info')).toMatchObject({ status: 405, headers: { allow: 'GET' } });
    });
  });

  describe('§1.6 Start, Stop, take-over', () => {
    rows(clientOf, [
      {
        situation: 'Start by another client while it runs',
        theirs: '200, the old engine is killed first',
        ours: 'ok',
        why: 'Start while running: the same configuration restarts nothing',
        call: async (c) => {
          const [pid] = await enginePids(node.dataDir);
          await c.start({ ...backend, users: [user('3.c')] });
          expect(await enginePids(node.dataDir)).toEqual([pid]);
        },
      },
      {
        situation: 'a bad configuration while it runs',
        theirs: '503 / 2, and nothing runs any more',
        ours: [400, 3, /JSON/],
        why: 'Start while running: refused, and the old one runs on',
        call: async (c) => {
          const refused = c.start({ ...backend, config: '{' });
          await refused.catch(() => undefined);
          expect(await c.info()).toMatchObject({ running: true });
          return refused;
        },
      },
      {
        situation: '/info while a Start is under way',
        theirs: 'waits for it',
        ours: 'ok',
        why: 'Before Start: /info answers',
        call: async (c) => {
          const order: string[] = [];
          const start = c.start(backend).then(() => order.push('start'));
          await c.info().then(() => order.push('info'));
          await start;
          expect(order).toEqual(['info', 'start']);
        },
      },
      {
        situation: 'a caller that leaves during Start',
        theirs: 'ends the engine that is starting',
        ours: 'ok',
        why: 'Start while running: no caller ends what another one runs',
        call: async (c) => {
          const signal = AbortSignal.timeout(1);
          await c.start({ ...backend, users: [user('4.d')] }, { signal }).catch(() => undefined);
          expect(await c.info()).toMatchObject({ running: true });
        },
      },
      {
        situation: 'Stop, twice',
        theirs: 'the second: 500 / 14',
        ours: 'ok',
        why: 'Stop while stopped: succeeds',
        call: async (c) => {
          await c.stop();
          await c.stop();
          expect(await enginePids(node.dataDir)).toEqual([]);
        },
      },
      {
        situation: 'stats after Stop',
        theirs: '500 / 14',
        ours: NOT_INITIALIZED,
        why: BEFORE_START,
        call: (c) => c.backendStats(),
      },
    ]);

    it('keepAlive with an open log stream; theirs: does not count; why ours: an open log stream counts', async () => {
      const client = clientOf('grpc');
      await client.start({ ...backend, keepAlive: 1n });
      const leave = new AbortController();
      const reading = (async () => {
        for await (const _ of client.logs({ signal: leave.signal, resume: false }));
      })();
      await new Promise((resolve) => setTimeout(resolve, 2500));
      expect(await enginePids(node.dataDir)).toHaveLength(1);
      leave.abort();
      await reading;
      await eventually('nobody called, and it stops', async () => (await enginePids(node.dataDir)).length === 0);
      await expect(client.backendStats()).rejects.toMatchObject({ message: 'backend not initialized' });
    });
  });

  describe('§1.5 while the engine is at fault', () => {
    it('says nothing; theirs: 503 / 14 with failed to get sys stats; why ours: Errors, the text stays', async () => {
      await clientOf('grpc').start(backend);
      const pid = await enginePid();
      process.kill(pid, 'SIGSTOP');
      const failures = (['rest', 'grpc'] as const).map((transport) => clientOf(transport).backendStats());
      const [rest, grpc] = await Promise.allSettled(failures);
      expect(rest).toMatchObject({ reason: { httpStatus: 503, code: 'ENGINE_NOT_ANSWERING' } });
      expect(grpc).toMatchObject({ reason: { grpcCode: 14, code: 'ENGINE_NOT_ANSWERING' } });
      for (const failure of [rest, grpc]) {
        expect(failure).toMatchObject({ reason: { message: expect.stringMatching(/^failed to get sys stats: ./) } });
      }
      process.kill(pid, 'SIGKILL');
      await eventually('another one runs', async () => {
        const pids = await enginePids(node.dataDir);
        return pids.length === 1 && !pids.includes(pid) && (await clientOf('grpc').info()).running;
      });
    });

    it('is dead; theirs: 503 / 14 core is not started yet; why ours: Errors, the text stays', async () => {
      await rm(engine);
      const pid = await enginePid();
      process.kill(pid, 'SIGKILL');
      await eventually('it is down', async () => !(await clientOf('grpc').info()).running);
      const message = 'core is not started yet';
      await expect(clientOf('rest').backendStats()).rejects.toMatchObject({ httpStatus: 503, message });
      await expect(clientOf('grpc').userOnline('1.a')).rejects.toMatchObject({ grpcCode: 14, message });
      // Of the machine there is still something to tell.
      expect(await clientOf('rest').systemStats()).toMatchObject({ uptime: 0n });
    });
  });
});
