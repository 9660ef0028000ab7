import { once } from 'node:events';
import tls from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  Backend,
  CollectTrafficRequest,
  IssuedCertificate,
  LatencyRequest,
  type NodeClient,
  ProbeRequest,
  StatRequest,
  StatType,
  User,
  Users,
  UsersChunk,
} from '@rampart/node-client';
import { eventually } from '@rampart/testing';
import { NodeError } from '../errors/node-error.js';
import { mutate, seededRandom } from '../testing/byte-mutations.js';
import { connectHttp2, KEY, send, sendHttp2 } from '../testing/clients/https.js';
import { INFO, NodeDouble } from '../testing/nodes/node-double.js';
import { API_KEY, RunningNode } from '../testing/nodes/running-node.js';
import { MalformedMessage, nodeServiceDefinition } from './grpc/node-service.definition.js';
import { readChunkFrames } from './rest/chunk-frames.js';

// Thousands of requests take more than the usual limit where other test files use the processor too.
jest.setTimeout(120_000);

const ann = User.fromPartial({
  email: '1.ann',
  proxies: {
    vmess: { id: '11111111-1111-4111-8111-111111111111' },
    vless: { id: '11111111-1111-4111-8111-111111111111', flow: 'xtls-rprx-vision' },
    trojan: { password: 'a-password' },
    shadowsocks: { password: 'MDEyMzQ1Njc4OWFiY2RlZg==', method: '2022-blake3-aes-128-gcm' },
    wireguard: { publicKey: 'a-key', peerIps: ['10.0.0.2/32'] },
    hysteria: { auth: 'an-auth' },
  },
  inbounds: ['vless', 'vmess'],
  revision: 7n,
});
const users = [ann, { ...ann, email: '2.bob' }, { ...ann, email: '3.cid', inbounds: [] }];

const SAMPLES = {
  Backend: Buffer.from(
    Backend.encode(Backend.fromPartial({ config: '{"inbounds":[]}', users, keepAlive: 60n })).finish(),
  ),
  User: Buffer.from(User.encode(ann).finish()),
  Users: Buffer.from(Users.encode(Users.fromPartial({ users, revision: 9n })).finish()),
  UsersChunk: Buffer.from(UsersChunk.encode(UsersChunk.fromPartial({ users, index: 1n, last: true })).finish()),
  StatRequest: Buffer.from(
    StatRequest.encode(StatRequest.fromPartial({ name: '1.ann', reset: true, type: StatType.UserStat })).finish(),
  ),
  LatencyRequest: Buffer.from(LatencyRequest.encode({ name: 'direct' }).finish()),
  CollectTrafficRequest: Buffer.from(CollectTrafficRequest.encode({ ledger: 'a-ledger', acknowledge: 3n }).finish()),
  IssuedCertificate: Buffer.from(IssuedCertificate.encode({ certificate: Buffer.alloc(400, 0x30) }).finish()),
  ProbeRequest: Buffer.from(ProbeRequest.encode(ProbeRequest.create({ outbounds: '[]', url: 'http://a/' })).finish()),
  Empty: Buffer.alloc(0),
};
type Message = keyof typeof SAMPLES;

const METHODS: readonly (readonly [method: string, message: Message])[] = [
  ['Start', 'Backend'],
  ['Stop', 'Empty'],
  ['GetBaseInfo', 'Empty'],
  ['GetLogs', 'Empty'],
  ['GetSystemStats', 'Empty'],
  ['GetBackendStats', 'Empty'],
  ['GetOnlineUsers', 'Empty'],
  ['GetStats', 'StatRequest'],
  ['GetOutboundsLatency', 'LatencyRequest'],
  ['GetUserOnlineStats', 'StatRequest'],
  ['GetUserOnlineIpListStats', 'StatRequest'],
  ['SyncUser', 'User'],
  ['SyncUsers', 'Users'],
  ['SyncUsersChunked', 'UsersChunk'],
  ['CollectTraffic', 'CollectTrafficRequest'],
  ['RequestCertificate', 'Empty'],
  ['InstallCertificate', 'IssuedCertificate'],
  ['Probe', 'ProbeRequest'],
];

const ROUTES: readonly (readonly [verb: 'GET' | 'POST' | 'PUT', path: string, message: Message])[] = [
  ['POST', '/start', 'Backend'],
  ['GET', '/stats', 'StatRequest'],
  ['POST', '/stats/user/online', 'StatRequest'],
  ['GET', '/stats/user/online_ip', 'StatRequest'],
  ['POST', '/stats/latency', 'LatencyRequest'],
  ['PUT', '/user/sync', 'User'],
  ['PUT', '/users/sync', 'Users'],
  ['POST', '/traffic/collect', 'CollectTrafficRequest'],
  ['PUT', '/certificate', 'IssuedCertificate'],
  ['POST', '/probe', 'ProbeRequest'],
];

const varintFramed = (chunk: Buffer): Buffer =>
  Buffer.concat([Buffer.of((chunk.length & 0x7f) | 0x80, chunk.length >> 7), chunk]);
const fixedFramed = (chunk: Buffer): Buffer =>
  Buffer.concat([Buffer.of(0, 0, chunk.length >> 8, chunk.length & 0xff), chunk]);

/** Lets the event loop run, so that nothing else in the process starves. */
const breathe = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('more than 100,000 mutated frames', () => {
  const service = new NodeDouble();
  let node: RunningNode;
  let client: NodeClient;

  beforeAll(async () => {
    node = await RunningNode.open({ service });
    client = node.client('grpc');
  });
  beforeEach(() => service.reset());
  afterAll(() => node.close());

  const serves = async (): Promise<void> => {
    expect(await send(node, 'GET', '/info')).toMatchObject({ status: 200 });
    expect(await client.info()).toEqual(INFO);
  };
  const openSockets = (): Promise<number> =>
    new Promise((resolve, reject) =>
      node.app
        .getHttpServer()
        .getConnections((error: Error | null, count: number) => (error ? reject(error) : resolve(count))),
    );

  it('every gRPC method has a message to mutate', () => {
    expect(METHODS.map(([method]) => method).sort()).toEqual(Object.keys(nodeServiceDefinition).sort());
  });

  it('60,000 mutated gRPC messages are read, or refused as malformed', async () => {
    const random = seededRandom(1);
    const outcomes = { read: 0, refused: 0 };
    for (let index = 0; index < 60_000; index += 1) {
      const [method, message] = METHODS[index % METHODS.length]!;
      const value: unknown = nodeServiceDefinition[method]!.requestDeserialize(mutate(SAMPLES[message], random));
      if (value instanceof MalformedMessage) {
        outcomes.refused += 1;
        expect(value.error.code).toBe('INVALID_ARGUMENT');
      } else outcomes.read += 1;
      if (index % 1000 === 0) await breathe();
    }
    expect(outcomes.read).toBeGreaterThan(10_000);
    expect(outcomes.refused).toBeGreaterThan(10_000);
  });

  it('30,000 mutated bodies of chunks are read, or refused with the reason', async () => {
    const random = seededRandom(2);
    let refused = 0;
    for (let index = 0; index < 30_000; index += 1) {
      const frame = index % 2 === 0 ? varintFramed : fixedFramed;
      const body = mutate(Buffer.concat([frame(SAMPLES.UsersChunk), frame(SAMPLES.UsersChunk)]), random);
      try {
        for await (const chunk of readChunkFrames(body)) expect(chunk.users.length).toBeLessThanOrEqual(body.length);
      } catch (error) {
        if (!(error instanceof NodeError)) throw error;
        expect(error.message).toMatch(/^failed to (read chunk length|read chunk payload|decode chunk): ./);
        refused += 1;
      }
    }
    expect(refused).toBeGreaterThan(10_000);
  });

  it('8,000 mutated REST requests are served or refused, and a refused one changes nothing', async () => {
    const random = seededRandom(3);
    const app = node.app.getHttpAdapter().getInstance();
    const statuses = new Map<number, number>();
    for (let index = 0; index < 8_000; index += 1) {
      const [method, url, message] = ROUTES[index % ROUTES.length]!;
      service.calls.length = 0;
      const payload = mutate(SAMPLES[message], random);
      const { statusCode } = await app.inject({ method, url, headers: KEY, payload });
      statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1);
      expect(service.calls).toHaveLength(statusCode === 200 ? 1 : 0);
    }
    expect([...statuses.keys()].sort()).toEqual([200, 400]);
  });

  it('1,000 mutated gRPC frames are served or refused', async () => {
    const random = seededRandom(4);
    const session = connectHttp2(node);
    const statuses = new Set<string>();
    // GetLogs is a stream without an end of its own.
    const methods = METHODS.filter(([method]) => method !== 'GetLogs');
    for (let index = 0; index < 1_000; index += 1) {
      const [method, message] = methods[index % methods.length]!;
      const sample = SAMPLES[message];
      const frame = Buffer.concat([Buffer.of(0, 0, 0, sample.length >> 8, sample.length & 0xff), sample]);
      const { headers } = await sendHttp2(
        session,
        { ':method': 'POST', ':path': `/service.NodeService/${method}`, 'content-type': 'application/grpc', ...KEY },
        mutate(frame, random),
      );
      statuses.add(String(headers['grpc-status']));
    }
    session.close();
    // OK, INVALID_ARGUMENT, RESOURCE_EXHAUSTED, UNIMPLEMENTED (unknown encoding), INTERNAL (half a frame)
    for (const status of statuses) expect(['0', '3', '8', '12', '13']).toContain(status);
    await serves();
  });

  const HTTP2_FRAMES = Buffer.concat([
    Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
    // SETTINGS, WINDOW_UPDATE, PING
    Buffer.from([0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 4, 0, 1, 0, 0]),
    Buffer.from([0, 0, 4, 8, 0, 0, 0, 0, 0, 0, 1, 0, 0]),
    Buffer.from([0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]),
    // HEADERS of stream 1: GET https / from the static table, all at once
    Buffer.from([0, 0, 3, 1, 5, 0, 0, 0, 1, 0x82, 0x87, 0x84]),
    // RST_STREAM, GOAWAY
    Buffer.from([0, 0, 4, 3, 0, 0, 0, 0, 1, 0, 0, 0, 8]),
    Buffer.from([0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0]),
  ]);
  const REQUEST = Buffer.from(
    `POST /stats HTTP/1.1\r\nhost: node\r\nx-api-key: ${API_KEY}\r\ncontent-length: ${SAMPLES.StatRequest.length}\r\n\r\n`,
  );
  const STREAMS = [
    HTTP2_FRAMES,
    Buffer.concat([REQUEST, SAMPLES.StatRequest]),
    Buffer.from([0x16, 3, 1, 0, 200, 1, 0]),
  ];

  it('1,200 broken streams inside TLS leave no socket behind, and nothing that keeps the process busy', async () => {
    const random = seededRandom(5);
    await serves();
    await eventually('the port rests', async (saw) => saw(await openSockets()) <= 1);
    const before = process.getActiveResourcesInfo().length;
    const session = await oneTicket(node);
    for (let batch = 0; batch < 60; batch += 1) {
      await Promise.all(
        Array.from({ length: 20 }, async (_, index) => {
          const socket = tls.connect({ host: '127.0.0.1', port: node.port, ca: node.certificate.cert, session });
          socket.on('error', () => undefined).resume();
          await once(socket, 'secureConnect');
          socket.end(mutate(STREAMS[index % STREAMS.length]!, random));
          await new Promise((resolve) => setImmediate(resolve));
          socket.destroy();
        }),
      );
    }
    await eventually('every socket is closed', async (saw) => saw(await openSockets()) <= 1);
    await eventually('as much is open as before', (saw) => saw(process.getActiveResourcesInfo()).length <= before + 2);
    await serves();
  });
});

/** A session ticket, which makes the many handshakes cheap. */
async function oneTicket(node: RunningNode): Promise<Buffer> {
  const socket = tls.connect({ host: '127.0.0.1', port: node.port, ca: node.certificate.cert });
  const [session] = (await once(socket, 'session')) as [Buffer];
  socket.destroy();
  return session;
}
