import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import https from 'node:https';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Backend, StatRequest, StatType, User, Users, UsersChunk } from '@rampart/node-client';
import { type Answer, connectHttp2, KEY, sendHttp2 } from '../../testing/clients/https.js';
import { NodeDouble } from '../../testing/nodes/node-double.js';
import { RunningNode } from '../../testing/nodes/running-node.js';

type Headers = Readonly<Record<string, string>>;
type Send = (route: string, headers: Headers, body?: Uint8Array) => Promise<Answer>;

const ann = User.fromPartial({ email: '1.ann', inbounds: ['in'] });
const chunk = UsersChunk.encode(UsersChunk.fromPartial({ users: [ann], last: true })).finish();
const CHANGES: [name: string, route: string, body: Uint8Array, message: string][] = [
  ['start', 'POST /start', Backend.encode(Backend.fromPartial({ config: '{}' })).finish(), 'Backend'],
  ['syncUser', 'PUT /user/sync', User.encode(ann).finish(), 'User'],
  ['syncUsers', 'PUT /users/sync', Users.encode(Users.fromPartial({ users: [ann] })).finish(), 'Users'],
  ['syncUsersChunked', 'PUT /users/sync/chunked', Buffer.concat([Buffer.from([chunk.length]), chunk]), 'UsersChunk'],
];
const STAT = StatRequest.fromPartial({ name: '1.ann', type: StatType.UserStat });

describe('the body of a REST call', () => {
  const service = new NodeDouble();
  let node: RunningNode;

  beforeAll(async () => {
    node = await RunningNode.open({ service });
  });
  beforeEach(() => service.reset());
  afterAll(() => node.close());

  /** Sends a request with exactly these headers about its body. */
  const overHttp1: Send = async (route, headers, body) => {
    const [method, path] = route.split(' ');
    const { port, certificate } = node;
    const options = { host: '127.0.0.1', port, ca: certificate.cert, agent: false, method, path };
    const request = https.request({ ...options, headers: { ...KEY, ...headers } });
    for (const name of ['content-length', 'transfer-encoding']) {
      if (!(name in headers)) request.removeHeader(name);
    }
    request.end(body);
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return { status: response.statusCode ?? 0, headers: response.headers, body: await buffer(response) };
  };
  const overHttp2: Send = async (route, headers, body) => {
    const [method, path] = route.split(' ');
    const session = connectHttp2(node);
    try {
      return await sendHttp2(session, { ':method': method, ':path': path, ...KEY, ...headers }, body);
    } finally {
      session.close();
    }
  };
  const withLength =
    (send: Send): Send =>
    (route, headers, body = Buffer.alloc(0)) =>
      send(route, { ...headers, 'content-length': String(body.length) }, body);
  const inChunks: Send = (route, headers, body) =>
    overHttp1(route, { ...headers, 'transfer-encoding': 'chunked' }, body);

  const EMPTY = Buffer.alloc(0);
  const FRAMINGS: [name: string, send: Send][] = [
    ['over HTTP/1.1, with its length', withLength(overHttp1)],
    ['over HTTP/1.1, in chunks', inChunks],
    ['over HTTP/2, with its length', withLength(overHttp2)],
    ['over HTTP/2, without its length', overHttp2],
  ];

  describe.each(FRAMINGS)('%s', (_framing, send) => {
    describe.each<[string, Headers]>([
      ['with a content type', { 'content-type': 'application/x-protobuf' }],
      ['without a content type', {}],
    ])('%s', (_type, headers) => {
      it.each(CHANGES)('the body of a REST call is read: %s', async (name, route, body) => {
        expect(await send(route, headers, body)).toMatchObject({ status: 200 });
        const [call, ...more] = service.calls;
        expect([call?.name, more]).toEqual([name, []]);
        const asSent = { start: { config: '{}' }, syncUser: ['1.ann'], syncUsers: { users: [{ email: '1.ann' }] } };
        expect(call?.input).toMatchObject({ ...asSent, syncUsersChunked: [{ last: true }] }[name] ?? {});
      });

      it.each(['GET /stats', 'POST /stats'])('the body of a REST call is read: %s', async (route) => {
        const body = StatRequest.encode(STAT).finish();
        expect(await send(route, headers, body)).toMatchObject({ status: 200 });
        expect(service.calls).toEqual([{ name: 'stats', input: STAT }]);
      });

      it('a gzip body is decompressed, even to the empty message', async () => {
        const packed = { ...headers, 'content-encoding': 'gzip' };
        expect(await send('PUT /users/sync', packed, gzipSync(EMPTY))).toMatchObject({ status: 200 });
        expect(service.calls).toMatchObject([{ name: 'syncUsers', input: { users: [] } }]);
      });

      it('an empty body is not valid gzip', async () => {
        const { status, body } = await send('PUT /users/sync', { ...headers, 'content-encoding': 'gzip' }, EMPTY);
        expect([status, JSON.parse(body.toString())]).toEqual([
          400,
          { error: 'the body is empty, which is not gzip', code: 'INVALID_ARGUMENT' },
        ]);
        expect(service.calls).toEqual([]);
      });
    });
  });

  it.each(FRAMINGS.filter(([name]) => name.endsWith('with its length')))(
    'is the empty message when content-length says 0, %s',
    async (_framing, send) => {
      expect(await send('PUT /users/sync', {}, EMPTY)).toMatchObject({ status: 200 });
      expect(service.calls).toMatchObject([{ name: 'syncUsers', input: { users: [] } }]);
    },
  );

  describe.each<[string, Send]>([
    ['over HTTP/1.1', (route, headers) => overHttp1(route, headers)],
    ['over HTTP/1.1, in no chunks', (route, headers) => inChunks(route, headers, EMPTY)],
    ['over HTTP/2', (route, headers) => overHttp2(route, headers)],
    ['over HTTP/2, in a stream without data', (route, headers) => overHttp2(route, headers, EMPTY)],
  ])('a missing body of a REST call is refused, %s', (_framing, send) => {
    describe.each<[string, Headers]>([
      ['with a content type', { 'content-type': 'application/x-protobuf' }],
      ['without a content type', {}],
    ])('%s', (_type, headers) => {
      it.each(CHANGES)('a missing body is refused where it is required: %s', async (_name, route, _body, message) => {
        const { status, body } = await send(route, headers);
        const error = `the body is missing: send a ${message} message, or content-length: 0 for the empty one`;
        expect([status, JSON.parse(body.toString())]).toEqual([400, { error, code: 'INVALID_ARGUMENT' }]);
        expect(service.calls).toEqual([]);
      });

      it.each(['GET /stats', 'POST /stats'])('a missing body is the empty message of %s', async (route) => {
        expect(await send(route, headers)).toMatchObject({ status: 200 });
        expect(service.calls).toEqual([{ name: 'stats', input: StatRequest.fromPartial({}) }]);
      });

      it.each([
        ['GET /info', 'info'],
        ['PUT /stop', 'stop'],
      ])('a body is not required for %s', async (route, name) => {
        expect(await send(route, headers)).toMatchObject({ status: 200 });
        expect(service.calls).toEqual([{ name, input: undefined }]);
      });
    });
  });
});
