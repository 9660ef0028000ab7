import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Backend, type BaseInfoResponse, type NodeClient, User, Users, UsersChunk } from '@rampart/node-client';
import { freePort } from '@rampart/testing';
import { mutate, seededRandom } from '../testing/byte-mutations.js';
import { type Answer, send } from '../testing/clients/https.js';
import { enginePids } from '../testing/engine-pids.js';
import { RunningNode } from '../testing/nodes/running-node.js';
import { vlessConfig, vlessUser } from '../testing/reference-table.js';

const CALLS = 300;
/** Refusals of a whole message; after USERS_REFUSED all other users are applied. */
const NOTHING_DONE = ['INVALID_ARGUMENT', 'CONFIG_REFUSED', 'STALE_REVISION'];

describe(`${CALLS} mutated calls to a node that serves`, () => {
  const users = ['1.ann', '2.bob', '3.cid'].map((email) => vlessUser(email));
  let node: RunningNode;
  let client: NodeClient;
  let backend: Backend;
  let calls: [method: 'POST' | 'PUT', path: string, body: Buffer][];

  beforeAll(async () => {
    node = await RunningNode.open();
    client = node.client('grpc');
    backend = Backend.fromPartial({ config: vlessConfig(await freePort()), users });
    const chunk = Buffer.from(UsersChunk.encode(UsersChunk.fromPartial({ users: users, last: true })).finish());
    calls = [
      ['PUT', '/user/sync', Buffer.from(User.encode({ ...users[0]!, inbounds: [] }).finish())],
      ['PUT', '/users/sync', Buffer.from(Users.encode({ users: users.slice(1), revision: 0n }).finish())],
      ['PUT', '/users/sync/chunked', Buffer.concat([Buffer.of(0, 0, chunk.length >> 8, chunk.length & 255), chunk])],
      ['POST', '/start', Buffer.from(Backend.encode(backend).finish())],
    ];
    await client.start(backend);
  });
  afterAll(() => node.close());

  const codeOf = ({ status, body }: Answer): string => (status === 200 ? 'OK' : JSON.parse(body.toString()).code);

  it('mutated calls change nothing when they are refused, and never harm the engine', async () => {
    const random = seededRandom(6);
    const pids = await enginePids(node.dataDir);
    const counts = { refused: 0, taken: 0 };
    let before: BaseInfoResponse = await client.info();
    for (let index = 0; index < CALLS; index += 1) {
      const [method, path, body] = calls[index % calls.length]!;
      const code = codeOf(await send(node, method, path, { body: mutate(body, random) }));
      const after = await client.info();
      if (NOTHING_DONE.includes(code)) {
        counts.refused += 1;
        expect(after).toEqual({ ...before, timeMs: expect.any(BigInt) });
      } else {
        counts.taken += 1;
        expect(['OK', 'USERS_REFUSED']).toContain(code);
        // If a mutated configuration was accepted, the engine is another one.
        await client.start(backend);
        before = await client.info();
      }
    }
    expect(counts.refused).toBeGreaterThan(CALLS / 2);
    expect(counts.taken).toBeGreaterThan(CALLS / 20);
    expect(await client.info()).toMatchObject({ running: true, restarts: 0n, lastExit: '', usersCount: 3n });
    expect(await enginePids(node.dataDir)).toHaveLength(pids.length);
  }, 60_000);
});
