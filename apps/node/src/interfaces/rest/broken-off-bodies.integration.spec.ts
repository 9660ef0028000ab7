import { once } from 'node:events';
import tls from 'node:tls';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, it } from '@jest/globals';
import { Backend, User, Users, UsersChunk } from '@rampart/node-client';
import { KEY } from '../../testing/clients/https.js';
import { BREAK_OFFS } from '../../testing/clients/raw-http2.js';
import { UnchangedNodeFixture } from '../../testing/nodes/unchanged-node.js';

const TYPE = { 'content-type': 'application/x-protobuf' };
const GZIP = { 'content-encoding': 'gzip' };

const uint32 = (value: number) => Buffer.from([value >>> 24, value >>> 16, value >>> 8, value]);
const withVarint = (bytes: Uint8Array) => Buffer.concat([Buffer.from([bytes.length]), bytes]);
const withFourBytes = (bytes: Uint8Array) => Buffer.concat([uint32(bytes.length), bytes]);
const chunk = (users: User[], index: bigint, last: boolean) =>
  UsersChunk.encode(UsersChunk.fromPartial({ users, index, last })).finish();
/** Without its inbounds, which come last, a user is a removal. */
const removal = User.fromPartial({ email: '1.ann' });

describe('a REST body that breaks off changes nothing', () => {
  let fixture: UnchangedNodeFixture;

  beforeAll(async () => {
    fixture = await UnchangedNodeFixture.open();
  });
  beforeEach(() => fixture.start());
  afterAll(() => fixture.close());

  const startOf = (users: User[]) =>
    Backend.encode(Backend.fromPartial({ ...fixture.contract.backend, users })).finish();
  const ann = () => fixture.users.slice(0, 1);
  const CHUNKED = 'PUT /users/sync/chunked';

  /** What has come of a body: most of it could be a body of its own. */
  const CALLS: [name: string, route: string, part: () => Uint8Array][] = [
    ['Start, before its second user', 'POST /start', () => startOf(ann())],
    ['Start, in its configuration', 'POST /start', () => startOf([]).subarray(0, 50)],
    [
      'SyncUsers, before its second user',
      'PUT /users/sync',
      () => Users.encode(Users.fromPartial({ users: ann() })).finish(),
    ],
    ['SyncUsers, before its first user', 'PUT /users/sync', () => Buffer.alloc(0)],
    ['SyncUser, before its inbounds', 'PUT /user/sync', () => User.encode(removal).finish()],
    ...[withVarint, withFourBytes].flatMap((frame): [string, string, () => Uint8Array][] => [
      [`SyncUsersChunked ${frame.name}, after its last chunk`, CHUNKED, () => frame(chunk([removal], 0n, true))],
      [`SyncUsersChunked ${frame.name}, before its last chunk`, CHUNKED, () => frame(chunk([removal], 0n, false))],
      [
        `SyncUsersChunked ${frame.name}, in its last chunk`,
        CHUNKED,
        () => Buffer.concat([chunk([removal], 0n, false), chunk([removal], 1n, true)].map(frame)).subarray(0, -1),
      ],
    ]),
  ];

  type Form = [name: string, headers: Record<string, string>, form: (bytes: Uint8Array) => Uint8Array];
  const PLAIN: Form = ['without a content type', {}, (bytes) => bytes];
  const PACKED: Form = ['packed', { ...TYPE, ...GZIP }, (bytes) => gzipSync(bytes)];
  const FORMS: Form[] = [
    PLAIN,
    ['plain', TYPE, (bytes) => bytes],
    PACKED,
    ['packed, without a content type', GZIP, (bytes) => gzipSync(bytes)],
    ['packed and cut', { ...TYPE, ...GZIP }, (bytes) => gzipSync(bytes).subarray(0, -9)],
  ];

  describe.each(BREAK_OFFS)('over HTTP/2, when %s', (_breakOff, breakOff) => {
    describe.each(CALLS)('%s', (_call, route, part) => {
      it.each(breakOff === BREAK_OFFS[0]?.[1] ? FORMS : [PLAIN, PACKED])(
        'a REST body that breaks off changes nothing: %s',
        async (_form, headers, form) => {
          const [method = '', path = ''] = route.split(' ');
          await fixture.staysAsItIs(() => fixture.breakOffHttp2(method, path, headers, form(part()), breakOff));
        },
      );
    });
  });

  const CHUNKS = 'transfer-encoding: chunked';
  const httpChunk = (bytes: Uint8Array) =>
    bytes.length === 0 ? bytes : Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, CRLF]);
  const CRLF = Buffer.from('\r\n');
  const HTTP1_FRAMINGS: [name: string, header: string, frame: (bytes: Uint8Array) => Uint8Array][] = [
    ['before its content-length', 'content-length: 99999', (bytes) => bytes],
    ['in a chunk', CHUNKS, (bytes) => Buffer.concat([Buffer.from('fff\r\n'), bytes])],
    ['between chunks', CHUNKS, httpChunk],
    ['in the end of its chunks', CHUNKS, (bytes) => Buffer.concat([httpChunk(bytes), Buffer.from('0\r\n')])],
  ];

  describe.each([
    ['its socket is destroyed', (socket: tls.TLSSocket) => void socket.destroy()],
    ['its connection is ended', (socket: tls.TLSSocket) => void socket.end()],
  ])('over HTTP/1.1, when %s', (_breakOff, breakOff) => {
    describe.each(HTTP1_FRAMINGS)('%s', (_framing, header, frame) => {
      describe.each(CALLS)('%s', (_call, route, part) => {
        it.each([PLAIN, PACKED])('a REST body that breaks off changes nothing: %s', async (_form, headers, form) => {
          const fields = Object.entries({ host: 'node', ...KEY, ...headers }).map((field) => field.join(': '));
          const head = [`${route} HTTP/1.1`, ...fields, header, '', ''].join('\r\n');
          const request = Buffer.concat([Buffer.from(head), frame(form(part()))]);
          await fixture.staysAsItIs(async () => {
            const { port, certificate } = fixture.node;
            const socket = tls.connect({ host: '127.0.0.1', port, ca: certificate.cert });
            socket.on('error', () => undefined).resume();
            await once(socket, 'secureConnect');
            await new Promise<void>((resolve) => socket.write(request, () => resolve()));
            breakOff(socket);
          });
        });
      });
    });
  });
});
