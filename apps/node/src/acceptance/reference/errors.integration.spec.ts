import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { Backend, MAX_MESSAGE_BYTES, type NodeClient, StatType } from '@rampart/node-client';
import { freePort } from '@rampart/testing';
import { KEY } from '../../testing/clients/https.js';
import { NodeDouble } from '../../testing/nodes/node-double.js';
import { RunningNode } from '../../testing/nodes/running-node.js';
import {
  grpcFrame,
  itEachRow,
  type RawRequest,
  type ReferenceRow,
  type Refusal,
  sendRaw,
  type Transport,
  vlessConfig,
  vlessUser,
} from '../../testing/reference-table.js';

const NOT_INITIALIZED: Refusal = [500, 14, 'backend not initialized'];
const BEFORE_START = 'Before Start: /info and Stop answer; everything else is refused';
const MISSING = 'Missing or unknown argument: 400 / INVALID_ARGUMENT';
const AT_FAULT = 'Start refused: data at fault is 400 / INVALID_ARGUMENT';

describe('node-reference.md §1.5, errors, row by row', () => {
  let node: RunningNode;
  let backend: Backend;
  const clients = new Map<Transport, NodeClient>();
  const clientOf = (transport: Transport): NodeClient => {
    const client = clients.get(transport) ?? node.client(transport);
    clients.set(transport, client);
    return client;
  };
  const raw = (transport: Transport, request: RawRequest) => sendRaw(node, transport, request);
  /** A malformed message. */
  const broken = (transport: Transport, bytes = Buffer.of(0x0a, 0x7f)) =>
    transport === 'rest' ? bytes : grpcFrame(bytes);

  beforeAll(async () => {
    node = await RunningNode.open();
    backend = Backend.fromPartial({ config: vlessConfig(await freePort()) });
  });
  afterAll(() => node.close());

  const needsBackend: readonly (readonly [string, ReferenceRow['call']])[] = [
    ['stats', (client) => client.stats({})],
    ['system stats', (client) => client.systemStats()],
    ['backend stats', (client) => client.backendStats()],
    ['online', (client) => client.userOnline('1.a')],
    ['online addresses', (client) => client.userOnlineIps('1.a')],
    ['everybody online (ours)', (client) => client.onlineUsers()],
    ['sync of one', (client) => client.syncUser([vlessUser('1.a')])],
    ['sync of all', (client) => client.syncUsers({ users: [] })],
    ['chunks', (client) => client.syncUsersChunked([vlessUser('1.a')])],
    ['traffic (ours)', (client) => client.collectTraffic({})],
  ];
  const refusedBackend = (when: string): ReferenceRow[] => [
    ...needsBackend.map(([what, call]) => ({
      situation: `${what} ${when}`,
      theirs: '500 / 14',
      ours: NOT_INITIALIZED,
      why: BEFORE_START,
      call,
    })),
    {
      situation: `logs ${when}`,
      theirs: '500 / 14',
      ours: 'ok',
      why: 'the log tells why nothing runs',
      call: async (client) => {
        for await (const _ of client.logs({ resume: false })) break;
      },
    },
  ];

  describe('before Start', () => {
    itEachRow(clientOf, [
      {
        situation: '/info',
        theirs: '200, node_version alone',
        ours: 'ok',
        why: BEFORE_START,
        call: async (client) => {
          expect(await client.info()).toMatchObject({ running: false, coreVersion: '', version: expect.any(String) });
        },
      },
      {
        situation: 'Stop',
        theirs: '500 / 14',
        ours: 'ok',
        why: 'Stop while stopped succeeds',
        call: (client) => client.stop(),
      },
      ...refusedBackend('before Start'),
      {
        situation: 'latency',
        theirs: '500 / OK and empty',
        ours: NOT_INITIALIZED,
        why: BEFORE_START,
        call: (client) => client.latencies(),
      },
      {
        situation: 'Start, undecodable',
        theirs: '400 / 13',
        ours: [400, 3, /^not a valid Backend message: ./],
        why: AT_FAULT,
        call: (_, transport) => raw(transport, { rest: ['POST', '/start'], grpc: 'Start', body: broken(transport) }),
      },
      {
        situation: 'Start, configuration not JSON',
        theirs: '503 / 2',
        ours: [400, 3, /JSON/],
        why: AT_FAULT,
        call: (client) => client.start({ ...backend, config: '{' }),
      },
      {
        situation: 'Start, unknown type',
        theirs: '503 / 2',
        ours: [400, 3, 'type 1 is not known here; use 0 (xray)'],
        why: AT_FAULT,
        call: (client) => client.start({ ...backend, type: 1 }),
      },
      {
        situation: 'Start, the engine refuses',
        theirs: "503 / 2 with the engine's message",
        ours: [400, 3, /unknown config id: nothing/],
        why: `${AT_FAULT}, with the engine's own words`,
        call: (client) => client.start({ config: '{"inbounds":[{"tag":"a","port":1,"protocol":"nothing"}]}' }),
      },
    ]);
  });

  describe('while it runs', () => {
    beforeAll(async () => {
      await clientOf('grpc').start(backend);
    });

    const withoutName = (type: StatType, text: string, theirs: string): ReferenceRow => ({
      situation: `stats of one ${StatType[type]} without name`,
      theirs: `500 / 2 ${theirs}`,
      ours: [400, 3, text],
      why: MISSING,
      call: (client) => client.stats({ type }),
    });

    itEachRow(clientOf, [
      {
        situation: 'stats of a type outside the enum',
        theirs: '500 / 2 not implemented stat type',
        ours: [400, 3, 'type 6 is not a statistic; use 0 to 5'],
        why: MISSING,
        call: (client) => client.stats({ type: 6 as StatType }),
      },
      withoutName(StatType.UserStat, 'name is missing: UserStat needs the email', 'email required'),
      withoutName(StatType.Outbound, 'name is missing: Outbound needs the tag', 'tag required'),
      withoutName(StatType.Inbound, 'name is missing: Inbound needs the tag', 'tag required'),
      {
        situation: 'stats of unknown names',
        theirs: '200, empty',
        ours: 'ok',
        why: 'Stats: a user never seen is an empty list',
        call: async (client) => {
          for (const type of [StatType.UserStat, StatType.Inbound, StatType.Outbound]) {
            expect(await client.stats({ type, name: '9.nobody' })).toEqual({ stats: [] });
          }
        },
      },
      {
        situation: 'online and its addresses, of a user never seen',
        theirs: '404 / 5, text ends in >>>online not found.',
        ours: 'ok',
        why: 'Stats: a user never seen is 0 / an empty list',
        call: async (client) => {
          expect(await client.userOnline('9.nobody')).toEqual({ name: '9.nobody', value: 0n });
          expect(await client.userOnlineIps('9.nobody')).toEqual({ name: '9.nobody', ips: {} });
        },
      },
      ...(['userOnline', 'userOnlineIps'] as const).map(
        (name): ReferenceRow => ({
          situation: `${name} without name`,
          theirs: '500 / 2 email required',
          ours: [400, 3, 'name is missing: online statistics need the email'],
          why: MISSING,
          call: (client) => client[name](''),
        }),
      ),
      {
        situation: 'latency without observatory',
        theirs: '502 / 2 xray outbound latency is not available',
        ours: [500, 2, 'xray outbound latency is not available: the configuration has no observatory'],
        why: "Errors: HTTP codes of the contract, gRPC codes of the reference's table",
        call: (client) => client.latencies(),
      },
      {
        situation: 'a message over 64 MiB',
        theirs: 'no limit / 8',
        ours: [413, 8, /larger than.*67108864/],
        why: 'Too large: 413 / RESOURCE_EXHAUSTED',
        call: (_, transport) =>
          raw(transport, {
            rest: ['POST', '/start'],
            grpc: 'Start',
            ...(transport === 'rest'
              ? { headers: { ...KEY, 'content-length': MAX_MESSAGE_BYTES + 1, expect: '100-continue' } }
              : { body: grpcFrame(Buffer.alloc(1), MAX_MESSAGE_BYTES + 1) }),
          }),
      },
      {
        situation: 'an unknown path or method',
        theirs: '404 text / 12',
        ours: [404, 12, /^(there is no such endpoint|The server does not implement the method .*Nothing)$/],
        why: 'Errors: {error, code}',
        call: (_, transport) => raw(transport, { rest: ['GET', '/nothing'], grpc: 'Nothing' }),
      },
      {
        situation: 'the same without a key',
        theirs: '401 / 12',
        ours: [401, 16, 'missing or wrong API key'],
        why: 'API key: any failure is 401 / UNAUTHENTICATED',
        call: (_, transport) => raw(transport, { rest: ['GET', '/nothing'], grpc: 'Nothing', headers: {} }),
      },
      {
        situation: 'a wrong HTTP method (over gRPC: no such call)',
        theirs: '405 without a body',
        ours: [405, 12, /^(PUT is not allowed here, only GET|The server does not implement the method .*)$/],
        why: 'Too large, wrong method: 405 with Allow',
        call: (_, transport) => raw(transport, { rest: ['PUT', '/info'], grpc: 'PutInfo' }),
      },
    ]);
  });

  describe('after Stop', () => {
    beforeAll(() => clientOf('grpc').stop());
    itEachRow(clientOf, refusedBackend('after Stop'));
  });

  describe('a handler that breaks', () => {
    const service = new NodeDouble();
    let double: RunningNode;
    beforeAll(async () => {
      double = await RunningNode.open({ service });
    });
    afterAll(() => double.close());

    itEachRow(
      (transport) => double.client(transport),
      [
        {
          situation: 'a handler that breaks',
          theirs: '500 / the process ends',
          ours: [500, 13, 'internal error'],
          why: 'Errors: {error, code}; no text that is not ours',
          call: async (client) => {
            service.error = new TypeError('cannot read a secret');
            const failure = await client.systemStats().catch((error: unknown) => error);
            service.error = undefined;
            expect(await client.info()).toMatchObject({ running: true });
            throw failure;
          },
        },
      ],
    );
  });
});
