import { once } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { type ClientReadableStream, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  Backend,
  BackendType,
  Empty,
  ERROR_CODE_HEADER,
  type Log,
  MAX_MESSAGE_BYTES,
  NodeServiceClient,
  StatRequest,
  StatType,
  User,
  Users,
  UsersChunk,
} from '@rampart/node-client';
import { eventually } from '@rampart/testing';
import { NodeError } from '../../errors/node-error.js';
import { connectHttp2, sendHttp2 } from '../../testing/clients/https.js';
import { INFO, lines, NodeDouble } from '../../testing/nodes/node-double.js';
import { API_KEY, RunningNode } from '../../testing/nodes/running-node.js';

const BROKEN = Buffer.from([0x12, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x01]);

type Callback = (error: ServiceError | null, value: unknown) => void;

function metadataOf(entries: Record<string, string>): Metadata {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(entries)) metadata.set(name, value);
  return metadata;
}

const KEY = metadataOf({ authorization: `Bearer ${API_KEY}` });

const result = (invoke: (done: Callback) => unknown): Promise<unknown> =>
  new Promise((resolve, reject) => {
    invoke((error, value) => (error ? reject(error) : resolve(value)));
  });

async function failure(invoke: (done: Callback) => unknown): Promise<[code: number, details: string, sent: unknown]> {
  const error = await result(invoke).then(
    () => undefined,
    (reason: ServiceError) => reason,
  );
  if (!error) throw new Error('the call succeeded');
  return [error.code, error.details, error.metadata.get(ERROR_CODE_HEADER)[0]];
}

describe('the gRPC API', () => {
  const service = new NodeDouble();
  let node: RunningNode;
  let stub: NodeServiceClient;

  beforeAll(async () => {
    node = await RunningNode.open({ service });
    stub = new NodeServiceClient(`127.0.0.1:${node.port}`, credentials.createSsl(Buffer.from(node.certificate.cert)), {
      'grpc.max_send_message_length': -1,
      'grpc.per_rpc_retry_buffer_size': 0,
    });
  });
  beforeEach(() => service.reset());
  afterAll(async () => {
    stub.close();
    await node.close();
  });

  /** Makes a call with arbitrary bytes as its message. */
  const raw = (method: string, bytes: Buffer, metadata: Metadata, done: Callback) =>
    stub.makeUnaryRequest(
      `/service.NodeService/${method}`,
      () => bytes,
      (answer) => answer,
      undefined,
      metadata,
      done,
    );

  describe('the key of gRPC calls', () => {
    it.each([
      ['Bearer', { authorization: `Bearer ${API_KEY}` }],
      ['x-api-key', { 'x-api-key': API_KEY }],
    ])('the key is accepted in gRPC metadata as %s', async (_name, entries) => {
      expect(await result((done) => stub.getBaseInfo({}, metadataOf(entries), done))).toEqual(INFO);
    });

    it.each([
      ['nothing', {}],
      ['another key', { authorization: 'Bearer another-key-of-the-tests' }],
      ['another x-api-key', { authorization: `Bearer ${API_KEY}`, 'x-api-key': 'another-key-of-the-tests' }],
      ['no scheme', { authorization: API_KEY }],
    ])('a gRPC call with a wrong key is refused: %s', async (_name, entries) => {
      const wrong = metadataOf(entries as Record<string, string>);
      const expected = [status.UNAUTHENTICATED, 'missing or wrong API key', 'UNAUTHENTICATED'];
      expect(await failure((done) => stub.getBaseInfo({}, wrong, done))).toEqual(expected);
      expect(await failure((done) => raw('Unknown', BROKEN, wrong, done))).toEqual(expected);
      expect(await failure((done) => stub.syncUser(wrong, done).end())).toEqual(expected);
      expect(service.calls).toEqual([]);
    });

    it('the key is checked before a large gRPC message is read', async () => {
      const config = 'x'.repeat(8 * 1024 * 1024);
      const [code] = await failure((done) => stub.start(Backend.fromPartial({ config }), new Metadata(), done));
      expect(code).toBe(status.UNAUTHENTICATED);
    });
  });

  it('a gRPC call passes its message on and returns the answer', async () => {
    const backend = Backend.fromPartial({ type: BackendType.XRAY, config: '{}', keepAlive: 2n ** 64n - 1n });
    expect(await result((done) => stub.start(backend, KEY, done))).toEqual(INFO);
    expect(service.calls).toEqual([{ name: 'start', input: backend }]);
  });

  it('every gRPC method is served', async () => {
    expect(await result((done) => stub.stop({}, KEY, done))).toEqual({});
    expect(
      await result((done) => stub.getStats(StatRequest.fromPartial({ type: StatType.UsersStat }), KEY, done)),
    ).toEqual({ stats: [] });
    expect(await result((done) => stub.syncUsers(Users.fromPartial({}), KEY, done))).toEqual({});
    expect(await result((done) => stub.collectTraffic({ ledger: '', acknowledge: 0n }, KEY, done))).toMatchObject({
      ledger: 'a-ledger',
    });
    expect(service.calls.map(({ name }) => name)).toEqual(['stop', 'stats', 'syncUsers', 'collectTraffic']);
  });

  it('gRPC statistics cover the machine, the engine and its users', async () => {
    const request = StatRequest.fromPartial({ name: '1.a' });
    expect(await result((done) => stub.getSystemStats({}, KEY, done))).toMatchObject({ memTotal: 1n });
    expect(await result((done) => stub.getBackendStats({}, KEY, done))).toMatchObject({ uptime: 1 });
    expect(await result((done) => stub.getUserOnlineStats(request, KEY, done))).toEqual({ name: '1.a', value: 1n });
    expect(await result((done) => stub.getUserOnlineIpListStats(request, KEY, done))).toEqual({
      name: '1.a',
      ips: { '192.0.2.1': 1n },
    });
    expect(await result((done) => stub.getOnlineUsers({}, KEY, done))).toEqual({ emails: ['1.a'] });
    expect(await result((done) => stub.getOutboundsLatency({ name: 'out' }, KEY, done))).toEqual({ latencies: [] });
    expect(service.calls.map(({ name }) => name)).toEqual([
      'systemStats',
      'backendStats',
      'onlineStats',
      'onlineAddresses',
      'onlineUsers',
      'latencies',
    ]);
  });

  it('chunks over gRPC are a stream, which is answered as soon as the chunks are complete', async () => {
    service.chunksWanted = 2;
    const answer = result((done) => {
      const call = stub.syncUsersChunked(KEY, done);
      for (const index of [0n, 1n, 2n]) call.write(UsersChunk.fromPartial({ index }));
      return call;
    });
    expect(await answer).toEqual({});
    expect(service.calls).toMatchObject([{ name: 'syncUsersChunked', input: [{ index: 0n }, { index: 1n }] }]);
  });

  it('unknown gRPC methods are answered with UNIMPLEMENTED', async () => {
    const unknown = failure((done) => raw('Unknown', Buffer.alloc(0), KEY, done));
    expect(await unknown).toEqual([
      status.UNIMPLEMENTED,
      'The server does not implement the method /service.NodeService/Unknown',
      undefined,
    ]);
  });

  it('security row 13: a compression bomb over gRPC is refused before it is fully decompressed', async () => {
    const bomb = gzipSync(Buffer.alloc(2 * MAX_MESSAGE_BYTES), { level: 1 });
    const length = Buffer.alloc(5);
    length.writeUInt8(1);
    length.writeUInt32BE(bomb.length, 1);
    const session = connectHttp2(node);
    const { headers } = await sendHttp2(
      session,
      {
        ':method': 'POST',
        ':path': '/service.NodeService/Start',
        'content-type': 'application/grpc',
        'grpc-encoding': 'gzip',
        te: 'trailers',
        authorization: `Bearer ${API_KEY}`,
      },
      Buffer.concat([length, bomb]),
    );
    session.close();
    expect([headers['grpc-status'], decodeURI(String(headers['grpc-message']))]).toEqual([
      '8',
      'Received message that decompresses to a size larger than 67108864',
    ]);
    expect(service.calls).toEqual([]);
  });

  it.each([
    ['Start', 'Backend'],
    ['GetStats', 'StatRequest'],
    ['SyncUsers', 'Users'],
    ['CollectTraffic', 'CollectTrafficRequest'],
    ['InstallCertificate', 'IssuedCertificate'],
    ['SyncUser', 'User'],
    ['SyncUsersChunked', 'UsersChunk'],
    ['GetUserOnlineStats', 'StatRequest'],
    ['GetUserOnlineIpListStats', 'StatRequest'],
    ['GetOutboundsLatency', 'LatencyRequest'],
  ])('a malformed gRPC message of %s is refused', async (method, message) => {
    const [code, details, sent] = await failure((done) => raw(method, BROKEN, KEY, done));
    expect([code, sent]).toEqual([status.INVALID_ARGUMENT, 'INVALID_ARGUMENT']);
    expect(details).toMatch(new RegExp(`^not a valid ${message} message: .`));
    expect(service.calls.filter(({ name }) => !name.startsWith('syncUser'))).toEqual([]);
  });

  it('security row 13: a gRPC message above the size limit is refused', async () => {
    const config = 'x'.repeat(MAX_MESSAGE_BYTES);
    const [code, details] = await failure((done) => stub.start(Backend.fromPartial({ config }), KEY, done));
    expect(code).toBe(status.RESOURCE_EXHAUSTED);
    expect(details).toMatch(/^Received message larger than max \(\d+ vs 67108864\)$/);
    expect(service.calls).toEqual([]);
  });

  it('a NodeError over gRPC has its stable code, and any other error shows no details', async () => {
    service.error = new NodeError('BACKEND_NOT_INITIALIZED', 'backend not initialized');
    const expected = [status.UNAVAILABLE, 'backend not initialized', 'BACKEND_NOT_INITIALIZED'];
    expect(await failure((done) => stub.syncUsers(Users.fromPartial({}), KEY, done))).toEqual(expected);
    expect(await failure((done) => stub.getBaseInfo({}, KEY, done))).toEqual(expected);
    service.error = new Error('a secret');
    expect(await failure((done) => stub.getBaseInfo({}, KEY, done))).toEqual([
      status.INTERNAL,
      'internal error',
      'INTERNAL',
    ]);
  });

  it('a gRPC error may quote any text', async () => {
    service.error = new NodeError('CONFIG_REFUSED', 'inbound "\ud800": no');
    const code = [status.INVALID_ARGUMENT, 'CONFIG_REFUSED'] as const;
    const quoted = 'inbound "\ufffd": no';
    expect(await failure((done) => stub.getBaseInfo({}, KEY, done))).toEqual([code[0], quoted, code[1]]);
    expect(await failure((done) => stub.syncUser(KEY, done).write(User.create()))).toEqual([code[0], quoted, code[1]]);
    service.error = new NodeError('CONFIG_REFUSED', 'ü'.repeat(1_000_000));
    const cut = `${'ü'.repeat(4_000)}…`;
    expect(await failure((done) => stub.getBaseInfo({}, KEY, done))).toEqual([code[0], cut, code[1]]);
  });

  describe('a gRPC client stream', () => {
    const user = (email: string): User => User.fromPartial({ email });

    it('is read to its end', async () => {
      const answer = result((done) => {
        const call = stub.syncUser(KEY, done);
        for (const email of ['1.a', '2.b', '3.c']) call.write(user(email));
        call.end();
      });
      expect(await answer).toEqual({});
      expect(service.calls).toEqual([{ name: 'syncUser', input: ['1.a', '2.b', '3.c'] }]);
    });

    it('ends with the error of its handler', async () => {
      service.error = new NodeError('USERS_REFUSED', '1.a: no');
      const failed = failure((done) => stub.syncUser(KEY, done).write(user('1.a')));
      expect(await failed).toEqual([status.INVALID_ARGUMENT, '1.a: no', 'USERS_REFUSED']);
    });

    it('is read no faster than it is handled', async () => {
      let open = (): void => undefined;
      service.answerAfter = new Promise<void>((resolve) => {
        open = resolve;
      });
      const large = User.fromPartial({ email: 'x'.repeat(64 * 1024) });
      let written = 0;
      const answer = result((done) => {
        const call = stub.syncUser(KEY, done);
        const fill = (): void => {
          while (written < 1_000) {
            written += 1;
            if (!call.write(large)) return void call.once('drain', fill);
          }
          call.end();
        };
        fill();
      });
      await eventually('the stream is open', (saw) => saw(service.calls).length === 1);
      const stalled = await settled(() => written);
      expect(stalled).toBeLessThan(300);
      open();
      expect(await answer).toEqual({});
      expect(written).toBe(1_000);
    });

    it('a cancelled gRPC client stream does not harm the node', async () => {
      const failed = failure((done) => {
        const call = stub.syncUser(KEY, done);
        call.write(user('1.a'));
        void eventually('the stream is open', (saw) => saw(service.calls).length === 1).then(() => call.cancel());
      });
      expect((await failed)[0]).toBe(status.CANCELLED);
      expect(await result((done) => stub.getBaseInfo({}, KEY, done))).toEqual(INFO);
    });
  });

  describe('the gRPC log stream', () => {
    const open = (): ClientReadableStream<Log> => {
      const call = stub.getLogs(Empty.create(), KEY);
      call.on('error', () => undefined);
      return call;
    };

    it('opens before its first line', async () => {
      const call = open();
      await once(call, 'metadata');
      call.cancel();
      await eventually('the reader is gone', (saw) => saw(service.readers) === 0);
    });

    it('is refused with the error of the node', async () => {
      service.error = new NodeError('TOO_MANY_READERS', 'too many');
      const call = stub.getLogs(Empty.create(), KEY);
      const [error] = (await once(call.resume(), 'error')) as [ServiceError];
      expect([error.code, error.details]).toEqual([status.RESOURCE_EXHAUSTED, 'too many']);
    });

    it('is read no faster than the caller reads, and ends with the caller', async () => {
      let given = 0;
      service.log = lines(100_000, (sequence) => {
        given += 1;
        return `${sequence} ${'x'.repeat(1_000)}`;
      });
      const call = open();
      await once(call, 'readable');
      const stalled = await settled(() => given);
      expect(stalled).toBeLessThan(20_000);
      call.cancel();
      await eventually('the reader is gone', (saw) => saw(service.readers) === 0);
    });

    it('continues after the last line that the caller has seen', async () => {
      service.log = lines(9);
      const metadata = KEY.clone();
      metadata.set('last-event-id', '8');
      const call = stub.getLogs(Empty.create(), metadata);
      call.on('error', () => undefined);
      expect(await once(call, 'data')).toEqual([{ detail: 'line 9', sequence: 9n }]);
      expect(service.calls).toEqual([{ name: 'logs', input: 8n }]);
      call.cancel();
    });

    it('refuses an invalid Last-Event-ID', async () => {
      const metadata = KEY.clone();
      metadata.set('last-event-id', 'seven');
      const call = stub.getLogs(Empty.create(), metadata);
      const [error] = (await once(call.resume(), 'error')) as [ServiceError];
      expect([error.code, error.details]).toEqual([
        status.INVALID_ARGUMENT,
        'Last-Event-ID must be the id of a log event',
      ]);
    });

    it('ends with an error of the log', async () => {
      service.log = async function* () {
        yield { sequence: 1n, detail: 'one' };
        await turn();
        throw new NodeError('BACKEND_NOT_RUNNING', 'core is not started yet');
      };
      const call = stub.getLogs(Empty.create(), KEY);
      const read: string[] = [];
      call.on('data', ({ detail }: Log) => read.push(detail));
      const [error] = (await once(call, 'error')) as [ServiceError];
      expect(read).toEqual(['one']);
      expect([error.code, error.details]).toEqual([status.UNAVAILABLE, 'core is not started yet']);
    });
  });
});

/** Resolves with the value of a counter when it no longer changes. */
async function settled(count: () => number): Promise<number> {
  let seen = -1;
  let since = Date.now();
  await eventually('the counter rests', () => {
    if (count() !== seen) [seen, since] = [count(), Date.now()];
    return Date.now() - since > 200;
  });
  return seen;
}
