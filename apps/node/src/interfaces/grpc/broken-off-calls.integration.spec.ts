import { status } from '@grpc/grpc-js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Backend, User, Users, UsersChunk } from '@rampart/node-client';
import { connectHttp2, KEY, sendHttp2 } from '../../testing/clients/https.js';
import { BREAK_OFFS } from '../../testing/clients/raw-http2.js';
import { UnchangedNodeFixture } from '../../testing/nodes/unchanged-node.js';

const HEADERS = { 'content-type': 'application/grpc', te: 'trailers' };

const frame = (message: Uint8Array) => {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
};
const half = (message: Uint8Array) => frame(message).subarray(0, 5 + message.length / 2);
const chunk = (index: bigint, last: boolean) =>
  frame(UsersChunk.encode(UsersChunk.fromPartial({ users: [{ email: '1.ann' }], index, last })).finish());

describe('a gRPC call that breaks off changes nothing', () => {
  let fixture: UnchangedNodeFixture;

  beforeAll(async () => {
    fixture = await UnchangedNodeFixture.open();
  });
  beforeEach(() => fixture.start());
  afterAll(() => fixture.close());

  const removal = () => User.encode(User.fromPartial({ email: '1.ann' })).finish();
  const kept = () => frame(User.encode(fixture.users[1]).finish());
  const IN_MESSAGE = [status.INVALID_ARGUMENT, 'the requests end in the middle of a message'] as const;
  const NOT_LAST = [status.INVALID_ARGUMENT, 'missing final chunk indicator'] as const;
  const NO_MESSAGE = 'Received no request message for server streaming method /service.NodeService/SyncUsers';

  const CALLS: [name: string, method: string, part: () => Buffer, code: status, message: string][] = [
    ['Start, in its message', 'Start', () => half(Backend.encode(fixture.contract.backend).finish()), ...IN_MESSAGE],
    ['SyncUsers, before its message', 'SyncUsers', () => Buffer.alloc(0), status.UNIMPLEMENTED, NO_MESSAGE],
    [
      'SyncUsers, in its message',
      'SyncUsers',
      () => half(Users.encode(Users.fromPartial({ users: fixture.users.slice(0, 1) })).finish()),
      ...IN_MESSAGE,
    ],
    ['SyncUser, in a message', 'SyncUser', () => half(removal()), ...IN_MESSAGE],
    ['SyncUser, in a later message', 'SyncUser', () => Buffer.concat([kept(), half(removal())]), ...IN_MESSAGE],
    ['SyncUser, in the length of a message', 'SyncUser', () => frame(removal()).subarray(0, 3), ...IN_MESSAGE],
    ['SyncUsersChunked, before its last message', 'SyncUsersChunked', () => chunk(0n, false), ...NOT_LAST],
    [
      'SyncUsersChunked, in its last message',
      'SyncUsersChunked',
      () => Buffer.concat([chunk(0n, false), chunk(1n, true)]).subarray(0, -1),
      ...IN_MESSAGE,
    ],
  ];

  describe.each(BREAK_OFFS)('when %s', (_breakOff, breakOff) => {
    it.each(CALLS)('a gRPC call that breaks off changes nothing: %s', async (_call, method, part) => {
      const path = `/service.NodeService/${method}`;
      await fixture.staysAsItIs(() => fixture.breakOffHttp2('POST', path, HEADERS, part(), breakOff));
    });
  });

  it.each(CALLS)(
    'a gRPC call whose stream ends within a message is refused: %s',
    async (_call, method, part, ...expected) => {
      await fixture.staysAsItIs(async () => {
        const session = connectHttp2(fixture.node);
        const headers = { ':method': 'POST', ':path': `/service.NodeService/${method}`, ...KEY, ...HEADERS };
        const answer = await sendHttp2(session, headers, part());
        session.close();
        const { 'grpc-status': code, 'grpc-message': message = '' } = answer.headers;
        expect([Number(code), decodeURI(String(message))]).toEqual(expected);
      });
    },
  );
});
