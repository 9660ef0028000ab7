import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { nodeEmail } from '@rampart/domain';
import {
  BackendStatsResponse,
  BaseInfoResponse,
  CertificateRequest,
  Log,
  OnlineStatResponse,
  OnlineUsersResponse,
  ProbeResponse,
  StatResponse,
  StatsOnlineIpListResponse,
  SystemStatsResponse,
  TrafficBatch,
} from '@rampart/node-client';
import { type HostileAnswer, type HostileCall, HostileNode, selfSigned } from '@rampart/node-client/testing';
import { until } from '@rampart/testing';
import fc from 'fast-check';
import { NodeChecks } from '../doctor/check-nodes.js';
import { OpenApiService } from '../openapi/open-api.service.js';
import { AnswerChecker } from '../openapi/testing/answer-checker.js';
import { TestManagement } from '../testing/test-management.js';
import { NodeTiming } from './sync/node-timing.js';
import { API_KEY, NODE } from './testing/management-with-node-doubles.js';
import { NodeFixture, QUICK_TIMING } from './testing/node-fixture.js';

/** Everything that must not reach a terminal, a log or a page. */
const HIDDEN = /(?![\n\t])[\p{Cc}\p{Cs}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/u;

const text = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: 30 }) },
  fc.constantFrom('\u001b[31mred', 'a\nnode 7: connected', '\u0000', '\u202egpj.exe', '__proto__', '127.0.0.1', 'xray'),
  fc.integer({ min: 300, max: 20_000 }).map((length) => 'x'.repeat(length)),
);
const uint64 = fc.oneof(fc.bigInt(0n, 10n), fc.bigInt(0n, 2n ** 64n - 1n), fc.constant(2n ** 64n - 1n));
const int64 = fc.oneof(fc.bigInt(-10n, 10n), fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n));
const uint32 = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const bytes = fc.uint8Array({ maxLength: 40 });
const list = <T>(item: fc.Arbitrary<T>) => fc.array(item, { maxLength: 8 });

/** Messages of every kind, with anything in them. `emails` are those of users. */
function messages(emails: readonly string[]): Record<HostileCall, fc.Arbitrary<Uint8Array>> {
  const email = fc.oneof(
    fc.constantFrom(...emails),
    text,
    uint32.map((id) => `${id}.x`),
  );
  const traffic = fc.record({ tag: text, uplink: uint64, downlink: uint64 });
  const info = fc
    .record({
      running: fc.boolean(),
      coreVersion: text,
      version: text,
      coreType: fc.oneof(fc.constantFrom('xray', ''), text),
      refused: list(fc.record({ email, reason: text })),
      configDigest: text,
      usersDigest: bytes.map((value) => Buffer.from(value)),
      usersCount: uint64,
      bootId: text,
      restarts: uint64,
      lastExit: text,
      warnings: fc.array(text, { maxLength: 80 }),
      certificateExpiresAt: fc.oneof(fc.constant(0n), uint64),
      timeMs: uint64,
      fallback: fc.boolean(),
    })
    .map((value) => BaseInfoResponse.encode(value).finish());
  const nothing = fc.constant(new Uint8Array());
  return {
    start: info,
    getBaseInfo: info,
    stop: nothing,
    syncUser: nothing,
    syncUsers: nothing,
    syncUsersChunked: nothing,
    installCertificate: nothing,
    getLogs: fc.record({ detail: text, sequence: uint64 }).map((value) => Log.encode(value).finish()),
    getSystemStats: fc
      .record({
        memTotal: uint64,
        memUsed: uint64,
        cpuCores: uint64,
        cpuUsage: fc.double(),
        incomingBandwidthSpeed: uint64,
        outgoingBandwidthSpeed: uint64,
        uptime: uint64,
      })
      .map((value) => SystemStatsResponse.encode(value).finish()),
    getBackendStats: uint32.map((uptime) =>
      BackendStatsResponse.encode(BackendStatsResponse.fromPartial({ uptime })).finish(),
    ),
    getStats: list(
      fc.record({
        name: email,
        type: fc.constantFrom('uplink', 'downlink', 'traffic'),
        link: fc.constantFrom('traffic', 'uplink'),
        value: int64,
      }),
    ).map((stats) => StatResponse.encode({ stats }).finish()),
    getOutboundsLatency: nothing,
    getUserOnlineStats: fc
      .record({ name: text, value: int64 })
      .map((value) => OnlineStatResponse.encode(value).finish()),
    getUserOnlineIpListStats: fc
      .record({ name: text, ips: fc.dictionary(fc.oneof(text, fc.ipV4(), fc.ipV6()), int64, { maxKeys: 8 }) })
      .map((value) => StatsOnlineIpListResponse.encode(value).finish()),
    getOnlineUsers: list(email).map((value) => OnlineUsersResponse.encode({ emails: value }).finish()),
    collectTraffic: fc
      .record({
        ledger: text,
        number: uint64,
        sealedAt: uint64,
        users: list(fc.record({ email, uplink: uint64, downlink: uint64 })),
        inbounds: list(traffic),
        outbounds: list(traffic),
      })
      .map((value) => TrafficBatch.encode(value).finish()),
    requestCertificate: bytes.map((request) => CertificateRequest.encode({ request: Buffer.from(request) }).finish()),
    probe: text.map((error) => ProbeResponse.encode(ProbeResponse.fromPartial({ error, stage: error })).finish()),
  };
}

const failure = fc.record({
  grpcCode: fc.integer({ min: 1, max: 16 }),
  httpStatus: fc.constantFrom(301, 400, 401, 404, 405, 409, 429, 500, 503),
  text,
});

type Behaviour = Record<HostileCall, HostileAnswer>;

/** A node that answers most calls as it should in form, and some with an error or with anything. */
function behaviours(emails: readonly string[]): fc.Arbitrary<Behaviour> {
  const answers = Object.entries(messages(emails)).map(([call, message]) => {
    const count = call === 'getLogs' ? { maxLength: 20 } : { minLength: 1, maxLength: 1 };
    const answer = fc.oneof(
      { weight: 12, arbitrary: fc.array(message, count).map((sent) => ({ messages: sent })) },
      { weight: 1, arbitrary: bytes.map((sent) => ({ messages: [sent] })) },
      { weight: 1, arbitrary: failure },
    );
    return [call, answer] as const;
  });
  return fc.record(Object.fromEntries(answers)) as unknown as fc.Arbitrary<Behaviour>;
}

describe.each(['grpc', 'rest'] as const)('a hostile node over %s', (wire) => {
  let management: TestManagement;
  let node: HostileNode;
  let checker: AnswerChecker;
  let behaviour: Behaviour | undefined;
  let emails: string[];

  beforeAll(async () => {
    management = await TestManagement.start();
    Object.assign(management.app.get(NodeTiming), QUICK_TIMING);
    checker = new AnswerChecker(await management.app.get(OpenApiService).document());
    const fixture = new NodeFixture(management.database);
    const alice = await fixture.createUser('alice', await fixture.createGroup());
    const bob = await fixture.createUser('bob', await fixture.createGroup(['another inbound']));
    await management.plainAdmin('owner');
    await management.database.query(
      `UPDATE users SET admin_id = (SELECT id FROM admins WHERE username = 'owner'), data_limit = 1000, status = 'on_hold',
         on_hold_expire_duration = 1000 WHERE username = 'bob'`,
    );
    emails = [alice, bob].map(({ id, username }) => nodeEmail(id, username));
    const certificate = await selfSigned({ names: ['127.0.0.1'] });
    node = new HostileNode(wire, certificate, (call) => behaviour?.[call] ?? { messages: [] });
    const port = await node.listen();
    const values = { name: wire, port, connection_type: wire, server_ca: certificate.cert, api_key: API_KEY };
    expect((await management.call('POST', '/api/node', { ...NODE, ...values })).status).toBe(201);
  });
  afterAll(async () => {
    await management?.close();
    node?.close();
  });

  /** All that is no business of the node. */
  const others = () =>
    management.database.query(
      `SELECT (SELECT jsonb_agg(users) FROM users WHERE username = 'bob') AS users,
         (SELECT jsonb_agg(admins) FROM admins WHERE username = 'owner') AS admins,
         (SELECT jsonb_agg(groups ORDER BY id) FROM groups) AS groups, (SELECT jsonb_agg(hosts) FROM hosts) AS hosts,
         (SELECT jsonb_agg(cores.name) FROM cores) AS cores, (SELECT count(*) FROM users) AS count`,
    );

  const PATHS = [
    '/api/nodes',
    '/api/nodes/realtime_stats',
    '/api/node/{node_id}',
    '/api/node/{node_id}/realtime_stats',
    '/api/node/{node_id}/online_stats/{username}',
    '/api/node/{node_id}/online_stats/{username}/ip',
  ];

  async function problems(): Promise<string[]> {
    const found: string[] = [];
    for (const path of PATHS) {
      const url = path.replace('{node_id}', '1').replace('{username}', 'alice');
      const answer = await management.request('GET', url);
      const method = 'GET' as const;
      if (answer.status !== 200 && answer.status !== 503) found.push(`${path}: ${answer.status} ${answer.text}`);
      found.push(...checker.problems({ method, path }, answer).map((problem) => `${path}: ${problem}: ${answer.text}`));
      if (HIDDEN.test(JSON.stringify(answer.body)) || HIDDEN.test(textsOf(answer.body)))
        found.push(`${path} hides text`);
    }
    const log = await management.request('GET', '/api/node/1/logs');
    if (HIDDEN.test(log.text)) found.push(`the log hides text: ${JSON.stringify(log.text)}`);
    const checks = await management.app.get(NodeChecks).run();
    if (HIDDEN.test(checks.map((check) => textsOf(check)).join(''))) found.push('the doctor hides text');
    if ((await management.request('GET', '/health')).status !== 200) found.push('the service is not healthy');
    return found;
  }

  it(`security row 41: management lives with a node that answers anything over ${wire}, and nothing else changes`, async () => {
    const before = await others();
    await fc.assert(
      fc.asyncProperty(behaviours(emails), async (next) => {
        behaviour = next;
        const calls = node.calls.length;
        await until((saw) => saw(node.calls).length >= calls + 4);
        expect(await problems()).toEqual([]);
      }),
      { numRuns: 25, endOnFailure: true },
    );
    expect(node.calls).toEqual(expect.arrayContaining(['start', 'getBaseInfo', 'collectTraffic', 'getLogs']));
    expect(await others()).toEqual(before);
    const [alice] = await management.database.query(`SELECT used_traffic FROM users WHERE username = 'alice'`);
    // Half a minute of a line of 10 Gbit/s, and the time of this test.
    expect(Number(alice.used_traffic)).toBeLessThan(1_000e9);
  });
});

/** All texts in a value, whatever is in them. */
function textsOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return '';
  return Object.entries(value)
    .map(([name, item]) => name + textsOf(item))
    .join('\n');
}
