import { gzipSync } from 'node:zlib';
import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  Backend,
  BackendType,
  BaseInfoResponse,
  LatencyRequest,
  MAX_MESSAGE_BYTES,
  ProbeRequest,
  ProbeResponse,
  StatRequest,
  StatsOnlineIpListResponse,
  StatType,
  User,
  UsersChunk,
} from '@rampart/node-client';
import { NodeError } from '../../errors/node-error.js';
import { type Answer, KEY, send } from '../../testing/clients/https.js';
import { INFO, NodeDouble } from '../../testing/nodes/node-double.js';
import { API_KEY, RunningNode } from '../../testing/nodes/running-node.js';
import type { RawUsersChunk } from '../../wire/raw-messages.js';
import { decodeUser } from '../../wire/raw-user.js';

const BROKEN = Buffer.from([0x12, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x01]);

describe('the REST API', () => {
  const service = new NodeDouble();
  let node: RunningNode;

  beforeAll(async () => {
    node = await RunningNode.open({ service });
  });
  beforeEach(() => service.reset());
  afterAll(() => node.close());

  const isError = (
    { status, headers, body }: Answer,
    expected: { status: number; error: string; code: string },
  ): void => {
    const { status: expectedStatus, ...expectedBody } = expected;
    expect(status).toBe(expectedStatus);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(JSON.parse(body.toString())).toEqual(expectedBody);
  };

  describe('the key of REST calls', () => {
    it.each([
      ['Bearer', { authorization: `Bearer ${API_KEY}` }],
      ['bearer in lower case', { authorization: `bearer ${API_KEY}` }],
      ['x-api-key', { 'x-api-key': API_KEY }],
      ['both', { authorization: `Bearer ${API_KEY}`, 'x-api-key': API_KEY }],
    ])('the key is accepted in the header %s', async (_name, headers) => {
      expect(await send(node, 'GET', '/info', { headers })).toMatchObject({ status: 200 });
    });

    const wrong = [
      ['nothing', {}],
      ['another key', { authorization: 'Bearer another-key-of-the-tests' }],
      ['another x-api-key', { 'x-api-key': 'another-key-of-the-tests' }],
      ['a wrong x-api-key beside the right Bearer', { ...KEY, 'x-api-key': 'another-key-of-the-tests' }],
      ['no scheme', { authorization: API_KEY }],
      ['another scheme', { authorization: `Basic ${API_KEY}` }],
      ['an empty key', { 'x-api-key': '' }],
      ['a part of the key', { 'x-api-key': API_KEY.slice(1) }],
      ['the nil UUID', { 'x-api-key': '00000000-0000-0000-0000-000000000000' }],
    ] as const;

    it.each(wrong)('a REST call with a wrong key is refused: %s', async (_name, headers) => {
      const expected = { status: 401, error: 'missing or wrong API key', code: 'UNAUTHENTICATED' };
      isError(await send(node, 'GET', '/info', { headers }), expected);
      isError(await send(node, 'GET', '/unknown', { headers }), expected);
      isError(await send(node, 'DELETE', '/info', { headers }), expected);
      isError(await send(node, 'GET', '/%zz', { headers }), expected);
      expect(service.calls).toEqual([]);
    });

    it('the key is checked before a REST body is read', async () => {
      const headers = { 'content-length': MAX_MESSAGE_BYTES + 1, expect: '100-continue' };
      isError(await send(node, 'POST', '/start', { headers }), {
        status: 401,
        error: 'missing or wrong API key',
        code: 'UNAUTHENTICATED',
      });
    });
  });

  it('a REST call passes its message on and returns the answer', async () => {
    const backend = Backend.fromPartial({ type: BackendType.XRAY, config: '{}', keepAlive: 2n ** 64n - 1n });
    const answer = await send(node, 'POST', '/start', { body: Backend.encode(backend).finish() });
    expect(answer).toMatchObject({ status: 200, headers: { 'content-type': 'application/x-protobuf' } });
    expect(BaseInfoResponse.decode(answer.body)).toEqual(INFO);
    expect(service.calls).toEqual([{ name: 'start', input: backend }]);
  });

  it.each([
    ['PUT', '/stop', undefined],
    ['PUT', '/user/sync', User.encode(User.fromPartial({ email: '1.a' })).finish()],
    ['PUT', '/users/sync', new Uint8Array()],
  ])('answers %s %s with the empty message, which has no bytes', async (method, path, body) => {
    const answer = await send(node, method, path, { ...(body ? { body } : {}) });
    expect(answer).toMatchObject({
      status: 200,
      headers: { 'content-type': 'application/x-protobuf', 'content-length': '0' },
      body: Buffer.alloc(0),
    });
  });

  const request = StatRequest.fromPartial({ name: '1.a', reset: true, type: StatType.UserStat });

  it.each([
    ['GET', '/stats', {}],
    ['GET', '/stats/', {}],
    ['GET', '/stats?x=y', {}],
    ['POST', '/stats', {}],
    ['GET', '/stats', { 'content-type': 'application/x-protobuf' }],
    ['POST', '/stats', { 'content-type': 'application/json' }],
    ['POST', '/stats', { 'content-type': 'application/octet-stream' }],
  ])('the message of %s %s is read with the headers %j', async (method, path, headers) => {
    const body = StatRequest.encode(request).finish();
    expect(await send(node, method, path, { headers: { ...KEY, ...headers }, body })).toMatchObject({ status: 200 });
    expect(service.calls).toEqual([{ name: 'stats', input: request }]);
  });

  const latency = LatencyRequest.fromPartial({ name: 'out' });

  it.each([
    ['GET', '/stats/user/online', 'onlineStats', request],
    ['POST', '/stats/user/online', 'onlineStats', request],
    ['GET', '/stats/user/online_ip/', 'onlineAddresses', request],
    ['POST', '/stats/user/online_ip', 'onlineAddresses', request],
    ['GET', '/stats/latency', 'latencies', latency],
    ['POST', '/stats/latency', 'latencies', latency],
    ['GET', '/stats/system', 'systemStats', undefined],
    ['GET', '/stats/backend', 'backendStats', undefined],
    ['GET', '/stats/users/online', 'onlineUsers', undefined],
  ] as const)('serves %s %s', async (method, path, name, input) => {
    const body = input && ('type' in input ? StatRequest.encode(input) : LatencyRequest.encode(input)).finish();
    expect(await send(node, method, path, { ...(body ? { body } : {}) })).toMatchObject({
      status: 200,
      headers: { 'content-type': 'application/x-protobuf' },
    });
    expect(service.calls).toEqual([{ name, input }]);
  });

  it('serves POST /probe', async () => {
    const request = ProbeRequest.create({ outbounds: '[]', url: 'http://a/' });
    const { status, body } = await send(node, 'POST', '/probe', { body: ProbeRequest.encode(request).finish() });
    expect([status, ProbeResponse.decode(body)]).toMatchObject([200, { stage: 'done', httpStatus: 200 }]);
    expect(service.calls).toEqual([{ name: 'probe', input: request }]);
  });

  it('online addresses over REST are a map', async () => {
    const body = StatRequest.encode(request).finish();
    const answer = await send(node, 'GET', '/stats/user/online_ip', { body });
    expect(StatsOnlineIpListResponse.decode(answer.body)).toEqual({ name: '1.a', ips: { '192.0.2.1': 1n } });
  });

  describe('chunks', () => {
    const ann = User.fromPartial({ email: '1.ann', inbounds: ['in'] });
    const chunk = (index: bigint, last: boolean) =>
      Buffer.from(UsersChunk.encode(UsersChunk.fromPartial({ users: [ann], index, last })).finish());
    const varint = (bytes: Buffer) => Buffer.concat([new BinaryWriter().uint32(bytes.length).finish(), bytes]);
    const fixed = (bytes: Buffer) => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(bytes.length);
      return Buffer.concat([length, bytes]);
    };
    const put = (body: Buffer) => send(node, 'PUT', '/users/sync/chunked', { body });

    it.each([
      ['a varint', varint],
      ['four bytes', fixed],
    ])('are read with %s', async (_name, frame) => {
      const chunks = [chunk(0n, false), chunk(1n, true)];
      expect(await put(Buffer.concat(chunks.map(frame)))).toMatchObject({ status: 200, body: Buffer.alloc(0) });
      expect(service.calls).toMatchObject([
        {
          input: [
            { index: 0n, last: false },
            { index: 1n, last: true },
          ],
        },
      ]);
      const [{ input }] = service.calls as unknown as [{ input: RawUsersChunk[] }];
      expect(input.flatMap(({ users }) => users.map(decodeUser))).toEqual([ann, ann]);
    });

    it('an empty body of chunks is accepted', async () => {
      const body = Buffer.concat([varint(chunk(0n, true)), varint(Buffer.alloc(0))]);
      expect(await put(body)).toMatchObject({ status: 200 });
      expect(service.calls).toMatchObject([{ input: [{ index: 0n }] }]);
    });

    it.each([
      ['length', Buffer.alloc(12, 0xff), 'failed to read chunk length: no varint at byte 0'],
      ['length', Buffer.from([0x80]), 'failed to read chunk length: no varint at byte 0'],
      ['length', Buffer.from([0, 0, 0]), 'failed to read chunk length: the body ends at byte 3'],
      ['payload', Buffer.from([9, 1, 2]), 'failed to read chunk payload: 9 bytes announced, 2 there'],
      ['payload', Buffer.from([0, 1, 0, 0, 7]), 'failed to read chunk payload: 65536 bytes announced, 1 there'],
      ['chunk', varint(BROKEN), /^failed to decode chunk: ./],
    ])('are refused with a broken %s', async (_name, body, message) => {
      const { status, body: answer } = await put(body);
      expect(status).toBe(400);
      const error = JSON.parse(answer.toString());
      expect(error).toEqual({
        error: typeof message === 'string' ? message : expect.stringMatching(message),
        code: 'INVALID_ARGUMENT',
      });
    });
  });

  describe('gzip', () => {
    const body = StatRequest.encode(request).finish();
    const packed = (bytes: Uint8Array, encoding = 'gzip') =>
      send(node, 'POST', '/stats', { headers: { ...KEY, 'content-encoding': encoding }, body: bytes });

    it('a gzip body is decompressed', async () => {
      expect(await packed(gzipSync(body))).toMatchObject({ status: 200 });
      expect(await packed(body, 'Identity')).toMatchObject({ status: 200 });
      expect(service.calls).toEqual(Array(2).fill({ name: 'stats', input: request }));
    });

    it('an invalid gzip body is refused', async () => {
      isError(await packed(body), { status: 400, error: 'incorrect header check', code: 'INVALID_ARGUMENT' });
    });

    it.each(['br', 'deflate', 'zstd', 'gzip, gzip', ''])(
      'a body is not decompressed for content-encoding "%s"',
      async (encoding) => {
        isError(await packed(body, encoding), {
          status: 400,
          error: `content-encoding "${encoding}" is not known here; send the body as it is, or as gzip`,
          code: 'INVALID_ARGUMENT',
        });
        expect(service.calls).toEqual([]);
      },
    );

    it('security row 13: a compression bomb over REST is refused before it is fully decompressed', async () => {
      const bomb = gzipSync(Buffer.alloc(2 * MAX_MESSAGE_BYTES), { level: 1 });
      expect(bomb.length).toBeLessThan(1 << 20);
      isError(await packed(bomb), {
        status: 413,
        error: 'the message is larger than 67108864 bytes',
        code: 'TOO_LARGE',
      });
      expect(await send(node, 'GET', '/info')).toMatchObject({ status: 200 });
    });
  });

  it('a REST call without a body has the empty message', async () => {
    expect(await send(node, 'GET', '/stats')).toMatchObject({ status: 200 });
    expect(service.calls).toEqual([{ name: 'stats', input: StatRequest.fromPartial({}) }]);
  });

  it.each([
    ['POST', '/start', 'Backend'],
    ['GET', '/stats', 'StatRequest'],
    ['PUT', '/user/sync', 'User'],
    ['PUT', '/users/sync', 'Users'],
    ['POST', '/traffic/collect', 'CollectTrafficRequest'],
    ['PUT', '/certificate', 'IssuedCertificate'],
    ['GET', '/stats/user/online', 'StatRequest'],
    ['POST', '/stats/user/online_ip', 'StatRequest'],
    ['GET', '/stats/latency', 'LatencyRequest'],
  ])('a malformed message at %s %s is refused', async (method, path, message) => {
    const { status, body } = await send(node, method, path, { body: BROKEN });
    const { error, code } = JSON.parse(body.toString());
    expect([status, code]).toEqual([400, 'INVALID_ARGUMENT']);
    expect(error).toMatch(new RegExp(`^not a valid ${message} message: .`));
    expect(service.calls).toEqual([]);
  });

  it.each(['/', '/unknown', '/info/more', '/stats/users', '/users/sync/chunk', '/INFO'])(
    'REST has no endpoint %s',
    async (path) => {
      isError(await send(node, 'GET', path), { status: 404, error: 'there is no such endpoint', code: 'NOT_FOUND' });
    },
  );

  it.each([
    ['GET', '/start', 'POST'],
    ['DELETE', '/stats/', 'GET, POST'],
    ['POST', '/info?x', 'GET'],
    ['PATCH', '/user/sync', 'PUT'],
  ])('does not allow %s %s', async (method, path, allow) => {
    const answer = await send(node, method, path);
    isError(answer, { status: 405, error: `${method} is not allowed here, only ${allow}`, code: 'METHOD_NOT_ALLOWED' });
    expect(answer.headers.allow).toBe(allow);
    expect(service.calls).toEqual([]);
  });

  it('HEAD is not allowed, since it would open a log stream', async () => {
    expect(await send(node, 'HEAD', '/logs')).toMatchObject({ status: 405, headers: { allow: 'GET' } });
  });

  it('security row 13: a REST message above the size limit is refused', async () => {
    const headers = { ...KEY, 'content-length': MAX_MESSAGE_BYTES + 1, expect: '100-continue' };
    const answer = await send(node, 'POST', '/start', { headers });
    isError(answer, { status: 413, error: 'the message is larger than 67108864 bytes', code: 'TOO_LARGE' });
  });

  it('a NodeError over REST is answered unchanged', async () => {
    service.error = new NodeError('BACKEND_NOT_INITIALIZED', 'backend not initialized');
    isError(await send(node, 'PUT', '/users/sync'), {
      status: 500,
      error: 'backend not initialized',
      code: 'BACKEND_NOT_INITIALIZED',
    });
  });

  it('an unexpected error over REST shows no details', async () => {
    service.error = new Error('a secret');
    isError(await send(node, 'GET', '/info'), { status: 500, error: 'internal error', code: 'INTERNAL' });
  });

  it('a path that cannot be decoded is refused', async () => {
    const answer = await send(node, 'GET', '/%zz');
    isError(answer, { status: 400, error: "'/%zz' is not a valid url component", code: 'INVALID_ARGUMENT' });
    expect(await send(node, 'GET', '/info')).toMatchObject({ status: 200 });
  });

  it('an invalid content type is refused', async () => {
    const answer = await send(node, 'POST', '/stats', { headers: { ...KEY, 'content-type': 'none' }, body: BROKEN });
    isError(answer, { status: 400, error: 'Unsupported Media Type', code: 'INVALID_ARGUMENT' });
  });
});
