import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { type NodeClient, StatType } from '@rampart/node-client';
import { enginePath, eventually, freePort } from '@rampart/testing';
import { enginePids, hangEngines } from '../../testing/engine-pids.js';
import { RunningNode } from '../../testing/nodes/running-node.js';
import { itEachRow, TRANSPORTS, type Transport, vlessConfig, vlessUser } from '../../testing/reference-table.js';

const TEXT_STAYS = 'Errors: 503 for an engine that does not answer, the text keeps its wording';

describe('node-reference.md §1.5, an engine at fault, row by row', () => {
  let folder: string;
  let engine: string;
  let node: RunningNode;
  const clients = new Map<Transport, NodeClient>();
  const clientOf = (transport: Transport): NodeClient => clients.get(transport) ?? node.client(transport);
  const kill = async (): Promise<void> => {
    for (const pid of await enginePids(node.dataDir)) process.kill(pid, 'SIGKILL');
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rampart-rows-'));
    engine = join(folder, 'xray');
    await symlink(enginePath(), engine);
    node = await RunningNode.open({ settings: { XRAY_EXECUTABLE_PATH: engine } });
    for (const transport of TRANSPORTS) clients.set(transport, node.client(transport));
    await clientOf('grpc').start({ config: vlessConfig(await freePort()) });
  });
  afterAll(async () => {
    await node.close();
    await rm(folder, { recursive: true, force: true });
  });

  describe('an engine that does not answer', () => {
    itEachRow(clientOf, [
      {
        situation: 'backend stats of an engine that says nothing',
        theirs: '503 / 14, failed to get sys stats: ...',
        ours: [503, 14, /^failed to get sys stats: ./],
        why: TEXT_STAYS,
        call: async (client) => {
          await eventually('an engine answers', () => client.backendStats().then(Boolean, () => false));
          await hangEngines(node.dataDir);
          const failure = await client.backendStats().catch((error: unknown) => error);
          await kill();
          expect(failure).toMatchObject({ code: 'ENGINE_NOT_ANSWERING', retryable: true });
          throw failure;
        },
      },
    ]);
  });

  describe('an engine that has ended', () => {
    beforeAll(async () => {
      await eventually('an engine answers', () =>
        clientOf('grpc')
          .backendStats()
          .then(Boolean, () => false),
      );
      await rm(engine);
      await kill();
      await eventually('it is down', async (saw) => !saw(await clientOf('grpc').info()).running);
    });

    itEachRow(clientOf, [
      ...(
        [
          ['backend stats', (client) => client.backendStats()],
          ['online', (client) => client.userOnline('1.a')],
        ] as const satisfies readonly (readonly [string, (client: NodeClient) => Promise<unknown>])[]
      ).map(([what, call]) => ({
        situation: `${what} of a dead engine`,
        theirs: '503 / 14, core is not started yet',
        ours: [503, 14, 'core is not started yet'] as const,
        why: TEXT_STAYS,
        call,
      })),
      {
        situation: 'system stats beside a dead engine',
        theirs: '503 / 14, core is not started yet',
        ours: 'ok',
        why: 'Units: of the machine there is still something to tell',
        call: async (client) => expect(await client.systemStats()).toMatchObject({ uptime: 0n }),
      },
      {
        situation: 'stats and traffic beside a dead engine',
        theirs: '503 / 14, core is not started yet',
        ours: 'ok',
        why: 'Traffic ledger: totals survive the engine',
        call: async (client) => {
          await client.stats({ type: StatType.UsersStat });
          await client.collectTraffic({});
        },
      },
      {
        situation: 'users that are changed beside a dead engine',
        theirs: '503 / 14, core is not started yet',
        ours: 'ok',
        why: 'One desired state: the engine has them when it comes back',
        call: async (client) => {
          await client.syncUsers({ users: [vlessUser('1.a')] });
          await client.syncUser([vlessUser('2.b')]);
          await client.syncUsersChunked([vlessUser('3.c')]);
          expect(await client.info()).toMatchObject({ running: false, usersCount: 3n, refused: [] });
        },
      },
    ]);
  });
});
