import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { type NodeClient, UsersChunk } from '@rampart/node-client';
import { freePort } from '@rampart/testing';
import { RunningNode } from '../../testing/nodes/running-node.js';
import {
  grpcFrame,
  itEachRow,
  type RawRequest,
  type ReferenceRow,
  sendRaw,
  TRANSPORTS,
  type Transport,
  vlessConfig,
  vlessUser,
} from '../../testing/reference-table.js';

const BY_DIFFERENCE = 'SyncUser(s): a user that the engine would refuse is refused by name, everyone else is applied';
const CHUNKED = "SyncUsersChunked: the reference's RPC, both chunk framings";

/** Chunks with length prefixes over REST, as messages over gRPC. */
const chunks = (transport: Transport, ...list: Partial<UsersChunk>[]): Buffer =>
  Buffer.concat(
    list.map((chunk) => {
      const bytes = Buffer.from(UsersChunk.encode(UsersChunk.fromPartial(chunk)).finish());
      return transport === 'rest' ? Buffer.concat([Buffer.of(bytes.length), bytes]) : grpcFrame(bytes);
    }),
  );

describe('node-reference.md §1.5, errors of users, row by row', () => {
  let node: RunningNode;
  const clients = new Map<Transport, NodeClient>();
  const clientOf = (transport: Transport): NodeClient => clients.get(transport) ?? node.client(transport);
  const raw = (transport: Transport, request: RawRequest) => sendRaw(node, transport, request);
  const rawChunks = (transport: Transport, ...list: Partial<UsersChunk>[]) =>
    raw(transport, {
      rest: ['PUT', '/users/sync/chunked'],
      grpc: 'SyncUsersChunked',
      body: chunks(transport, ...list),
    });
  /** A malformed message. */
  const broken = (transport: Transport) =>
    transport === 'rest' ? Buffer.of(0x0a, 0x7f) : grpcFrame(Buffer.of(0x0a, 0x7f));
  const refusedUser = (
    situation: string,
    theirs: string,
    user = vlessUser(''),
    text = /^1 user refused: "/,
  ): ReferenceRow => ({
    situation,
    theirs,
    ours: [400, 3, text],
    why: BY_DIFFERENCE,
    call: (client) => client.syncUser([user]),
  });
  const badFlow = vlessUser('5.bad', { flow: 'xtls-rprx-origin' });

  beforeAll(async () => {
    node = await RunningNode.open();
    for (const transport of TRANSPORTS) clients.set(transport, node.client(transport));
    await clientOf('grpc').start({ config: vlessConfig(await freePort()) });
  });
  afterAll(() => node.close());

  itEachRow(clientOf, [
    refusedUser('a user without e-mail', '400 / 2 email is required', vlessUser(''), /^1 user refused: "" \(email/),
    {
      situation: 'SyncUser, undecodable',
      theirs: '400 Failed to decode user / -',
      ours: [400, 3, /^not a valid User message: ./],
      why: 'Errors: 400 / INVALID_ARGUMENT for invalid data',
      call: (_, transport) =>
        raw(transport, { rest: ['PUT', '/user/sync'], grpc: 'SyncUser', body: broken(transport) }),
    },
    {
      situation: 'one user of a stream whom the engine refuses',
      theirs: '500 / 13, and the stream ends there',
      ours: [400, 3, /^1 user refused: "5\.bad" \(.+\)$/],
      why: BY_DIFFERENCE,
      call: async (client) => {
        await client.syncUsers({ users: [] });
        try {
          await client.syncUser([badFlow, vlessUser('5.good')]);
        } finally {
          expect(await client.info()).toMatchObject({ usersCount: 1n, refused: [{ email: '5.bad' }] });
        }
      },
    },
    refusedUser('a user whose UUID does not parse', '200, skipped', vlessUser('1.a', { id: 'x'.repeat(40) })),
    refusedUser('a user with an unknown flow', '200, and the next start fails', badFlow),
    {
      situation: 'a user of an unknown tag',
      theirs: '200',
      ours: 'ok',
      why: 'Unknown inbound tag in a user: accepted and remembered',
      call: (client) => client.syncUser([vlessUser('2.b', { inbounds: ['of-later'] })]),
    },
    {
      situation: 'no last chunk',
      theirs: '400 / 3 missing final chunk indicator',
      ours: [400, 3, 'missing final chunk indicator'],
      why: CHUNKED,
      call: (_, transport) => rawChunks(transport, { users: [vlessUser('1.a')] }),
    },
    {
      situation: 'a chunk that is missing',
      theirs: '400 / 3 missing chunk index N',
      ours: [400, 3, 'missing chunk index 1'],
      why: CHUNKED,
      call: (_, transport) => rawChunks(transport, { users: [vlessUser('1.a')] }, { index: 2n, last: true }),
    },
    {
      situation: 'chunks without users',
      theirs: '400 / 3 no users received',
      ours: [400, 3, 'no users received'],
      why: CHUNKED,
      call: (_, transport) => rawChunks(transport, { last: true }),
    },
    {
      situation: 'a chunk that is none',
      theirs: '400 failed to decode chunk / 13',
      ours: [400, 3, /^(failed to decode chunk|not a valid UsersChunk message): ./],
      why: CHUNKED,
      call: (_, transport) => {
        const body = transport === 'rest' ? Buffer.of(2, 0x0a, 0x7f) : broken(transport);
        return raw(transport, { rest: ['PUT', '/users/sync/chunked'], grpc: 'SyncUsersChunked', body });
      },
    },
    {
      situation: 'a chunk with a user whom the engine refuses',
      theirs: '500 / 13',
      ours: [400, 3, /^1 user refused: "5\.bad" \(.+\)$/],
      why: BY_DIFFERENCE,
      call: async (client) => {
        await client.syncUsers({ users: [] });
        try {
          await client.syncUsersChunked([badFlow, vlessUser('5.good')]);
        } finally {
          expect(await client.info()).toMatchObject({ usersCount: 1n });
        }
      },
    },
  ]);
});
