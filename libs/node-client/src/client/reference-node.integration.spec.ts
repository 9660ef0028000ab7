import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { NodeClient } from '../api/node-client.js';
import { BackendType, StatType, User } from '../gen/service.js';
import { failureOf } from '../testing/failure.js';
import { REFERENCE_CONFIG as config, ReferenceFixture } from '../testing/reference-fixture.js';
import type { ReferenceNode } from '../testing/reference-node.js';

const ann = User.fromPartial({ email: '1.ann', proxies: { trojan: { password: 'secret' } }, inbounds: ['trojan'] });
const bob = User.fromPartial({ email: '2.bob', proxies: { trojan: { password: 'other' } }, inbounds: ['trojan'] });

/** All calls to a node of another implementation, with its own answers. */
describe.each([
  ['grpc', 'grpc'],
  ['rest', 'rest'],
  ['auto', 'grpc'],
  ['auto', 'rest'],
] as const)('the %s client with a node of another implementation that serves %s', (transport, serving) => {
  let fixture: ReferenceFixture;
  let node: ReferenceNode;

  const open = (apiKey?: string): NodeClient => fixture.client(transport, apiKey);
  const started = async (): Promise<NodeClient> => {
    const client = open();
    await client.start({ config, users: [ann] });
    return client;
  };

  beforeEach(async () => {
    fixture = await ReferenceFixture.listen(serving);
    node = fixture.node;
  });
  afterEach(() => fixture.close());

  it.each([
    ['not-a-uuid-at-all', 'invalid api key format: must be a valid UUID'],
    ['d04d8680-942d-4365-992f-000000000000', 'api key mismatch'],
  ])('the client reports that the key %s is wrong', async (key, message) => {
    const failure = await failureOf(open(key).info());
    expect(failure).toMatchObject({ code: 'UNAUTHENTICATED', message, retryable: false });
  });

  it('a node of another implementation can be started, asked and stopped', async () => {
    const client = open();
    expect(await client.info()).toMatchObject({ running: false, coreVersion: '', version: '0.5.2' });
    const info = await client.start({ type: BackendType.XRAY, config, users: [ann], keepAlive: 60n });
    expect(info).toMatchObject({ running: true, coreVersion: '26.7.28', version: '0.5.2', coreType: '', refused: [] });
    expect([...node.users.values()]).toEqual([ann]);
    await client.stop();
    expect(await client.info()).toMatchObject({ running: false });
  });

  it.each<[string, (client: NodeClient) => Promise<unknown>]>([
    ['stop', (client) => client.stop()],
    ['stats', (client) => client.stats({ type: StatType.UsersStat })],
    ['systemStats', (client) => client.systemStats()],
    ['backendStats', (client) => client.backendStats()],
    ['userOnline', (client) => client.userOnline('1.ann')],
    ['userOnlineIps', (client) => client.userOnlineIps('1.ann')],
    ['syncUser', (client) => client.syncUser([ann])],
    ['syncUsers', (client) => client.syncUsers({ users: [ann] })],
    ['syncUsersChunked', (client) => client.syncUsersChunked([ann])],
    ['logs', (client) => client.logs()[Symbol.asyncIterator]().next()],
  ])('the call %s reports that there is no backend', async (_name, call) => {
    const failure = await failureOf(call(open()));
    expect(failure).toMatchObject({ code: 'BACKEND_NOT_INITIALIZED', message: 'backend not initialized' });
  });

  it('without a backend, latencies fail over REST and are empty over gRPC', async () => {
    const call = open().latencies();
    if (serving === 'grpc') expect(await call).toEqual({ latencies: [] });
    else expect(await failureOf(call)).toMatchObject({ code: 'BACKEND_NOT_INITIALIZED' });
  });

  it('a refused Start of another implementation is START_FAILED', async () => {
    const failure = await failureOf(open().start({ config: 'no JSON' }));
    expect(failure).toMatchObject({ code: 'START_FAILED', message: 'invalid character at the beginning' });
    expect(serving === 'rest' ? failure.httpStatus : failure.grpcCode).toBe(serving === 'rest' ? 503 : 2);
  });

  it('a stopped engine of another implementation is reported by its code', async () => {
    const client = await started();
    node.engine = false;
    const failure = await failureOf(client.backendStats());
    expect(failure).toMatchObject({
      code: 'BACKEND_NOT_RUNNING',
      message: 'core is not started yet',
      retryable: true,
    });
  });

  it('an engine of another implementation whose API does not answer is reported by its code', async () => {
    const client = await started();
    node.core.answers = false;
    const failure = await failureOf(client.backendStats());
    expect(failure).toMatchObject({ code: 'ENGINE_NOT_ANSWERING', retryable: true });
    expect(failure.message).toBe('rpc error: code = Unavailable desc = failed to get sys stats: connection refused');
  });

  it('statistics of another implementation are read', async () => {
    const client = await started();
    node.core.counters.set('user>>>1.ann>>>traffic>>>uplink', 5n);
    expect(await client.systemStats()).toMatchObject({ memTotal: 1n << 40n, cpuUsage: 12.5, uptime: 0n });
    expect(await client.backendStats()).toMatchObject({ numGoroutine: 9, alloc: 7n, uptime: 0 });
    expect(await client.latencies()).toMatchObject({ latencies: [{ name: 'direct', alive: true, delay: 12n }] });
    // Old versions swap `type` and `link`.
    const expected = { stats: [{ name: '1.ann', type: 'uplink', link: 'traffic', value: 5n }] };
    expect(await client.stats({ type: StatType.UserStat, name: '1.ann' })).toEqual(expected);
    expect(await client.stats({ type: StatType.UserStat, name: 'nobody' })).toEqual({ stats: [] });
    await client.stats({ type: StatType.UsersStat, reset: true });
    expect(node.calls.filter((call) => call === 'GET /stats')).toHaveLength(3);
  });

  it.each<[number, string, string]>([
    [StatType.UserStat, '', 'email required'],
    [StatType.Inbound, '', 'tag required'],
    [17, 'x', 'not implemented stat type'],
  ])('the client reports what is wrong with statistics %i of "%s"', async (type, name, message) => {
    const client = await started();
    expect(await failureOf(client.stats({ type, name }))).toMatchObject({ code: 'INVALID_ARGUMENT', message });
  });

  it('the client reports that there is no observatory', async () => {
    const client = await started();
    node.observatory = false;
    const message = 'xray outbound latency is not available';
    expect(await failureOf(client.latencies())).toMatchObject({
      code: 'LATENCY_UNAVAILABLE',
      message,
      retryable: false,
    });
  });

  it('a user whom another implementation has never seen is online 0 times', async () => {
    const client = await started();
    node.online.set('1.ann', { '203.0.113.7': 1_790_000_000n, '2001:db8::1': 1_790_000_001n });
    expect(await client.userOnline('1.ann')).toEqual({ name: '1.ann', value: 2n });
    expect(await client.userOnlineIps('1.ann')).toEqual({ name: '1.ann', ips: node.online.get('1.ann') });
    expect(await client.userOnline('2.bob')).toEqual({ name: '2.bob', value: 0n });
    expect(await client.userOnlineIps('2.bob')).toEqual({ name: '2.bob', ips: {} });
    expect(await failureOf(client.userOnline(''))).toMatchObject({ code: 'INVALID_ARGUMENT' });
  });

  it('users of another implementation are changed singly, all at once, and in chunks', async () => {
    const client = await started();
    await client.syncUser([bob, { ...ann, inbounds: [] }]);
    expect([...node.users.keys()]).toEqual(['2.bob']);
    await client.syncUsers({ users: [ann] });
    expect([...node.users.keys()]).toEqual(['1.ann']);
    const many = Array.from({ length: 7 }, (_, index) => ({ ...bob, email: `${index}` }));
    await client.syncUsersChunked(many, { chunkSize: 3, revision: 4n });
    expect([...node.users.keys()]).toEqual(['1.ann', ...many.map(({ email }) => email)]);
    const shape = node.chunks.map(({ users, index, last, revision }) => [users.length, index, last, revision]);
    expect(shape).toEqual([
      [3, 0n, false, 4n],
      [3, 1n, false, 4n],
      [1, 2n, true, 4n],
    ]);
  });

  it('another implementation refuses a user without a stable code', async () => {
    const client = await started();
    const message = serving === 'rest' ? 'failed to add user:\nvless: no id' : 'failed to update user: vless: no id';
    const poison = { ...bob, email: 'poison' };
    for (const call of [client.syncUser([poison]), client.syncUsersChunked([poison])]) {
      expect(await failureOf(call)).toMatchObject({ code: 'INTERNAL', message, refused: [] });
    }
    const unnamed = failureOf(client.syncUser([{ ...bob, email: '' }]));
    expect(await unnamed).toMatchObject({ code: 'INVALID_ARGUMENT', message: 'email is required' });
  });

  it('plain log lines of another implementation are read', async () => {
    const client = await started();
    for (const line of ['Xray 26.7.28 started', '2026/01/01 accepted tcp:a:443']) node.log.print(line);
    const lines: unknown[] = [];
    for await (const line of client.logs()) {
      lines.push(line);
      if (lines.length === 2) break;
    }
    expect(lines).toEqual([
      { detail: 'Xray 26.7.28 started', sequence: 0n },
      { detail: '2026/01/01 accepted tcp:a:443', sequence: 0n },
    ]);
  });

  it.each<[string, (client: NodeClient) => Promise<unknown>]>([
    ['CollectTraffic', (client) => client.collectTraffic({})],
    ['GetOnlineUsers', (client) => client.onlineUsers()],
    ['RequestCertificate', (client) => client.requestCertificate()],
    ['InstallCertificate', (client) => client.installCertificate({})],
    ['Probe', (client) => client.probe({})],
  ])('the client reports that the node has no call %s', async (name, call) => {
    const failure = await failureOf(call(await started()));
    expect(failure).toMatchObject({ code: 'NOT_FOUND', retryable: false });
    expect(failure.message).toMatch(new RegExp(`^this node has no ${name}: .*(404 page not found|${name})`));
    expect(serving === 'rest' ? failure.httpStatus : failure.grpcCode).toBe(serving === 'rest' ? 404 : 12);
  });
});
