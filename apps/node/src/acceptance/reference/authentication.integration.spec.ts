import { afterAll, beforeAll, describe } from '@jest/globals';
import { NodeDouble } from '../../testing/nodes/node-double.js';
import { RunningNode } from '../../testing/nodes/running-node.js';
import { itEachRow, type Refusal, sendRaw } from '../../testing/reference-table.js';

const KEY = 'd04d8680-942d-4365-992f-9f482275691d';
const ANY_FAILURE = 'API key: any failure is 401 / UNAUTHENTICATED';
const REFUSED: Refusal = [401, 16, 'missing or wrong API key'];

describe('node-reference.md §1.4, authentication, row by row', () => {
  let node: RunningNode;
  const info = { rest: ['GET', '/info'], grpc: 'GetBaseInfo' } as const;

  beforeAll(async () => {
    node = await RunningNode.open({ service: new NodeDouble(), settings: { RAMPART_API_KEY: KEY } });
  });
  afterAll(() => node.close());

  itEachRow(
    (transport) => node.client(transport, { apiKey: KEY }),
    [
      {
        situation: 'no key',
        theirs: '401 / 16',
        ours: REFUSED,
        why: ANY_FAILURE,
        call: (_, transport) => sendRaw(node, transport, { ...info, headers: {} }),
      },
      {
        situation: 'Bearer alone',
        theirs: 'counts as none, 401 / 16',
        ours: 'ok',
        why: 'API key: both headers are taken',
        call: (_, transport) => sendRaw(node, transport, { ...info, headers: { authorization: `Bearer ${KEY}` } }),
      },
      {
        situation: 'x-api-key alone',
        theirs: 'ok',
        ours: 'ok',
        why: 'API key: both headers are taken',
        call: (_, transport) => sendRaw(node, transport, { ...info, headers: { 'x-api-key': KEY } }),
      },
      {
        situation: 'no UUID',
        theirs: '422 / 3',
        ours: REFUSED,
        why: ANY_FAILURE,
        call: (_, transport) => node.client(transport, { apiKey: 'a-key-that-is-no-uuid' }).info(),
      },
      {
        situation: 'a wrong UUID',
        theirs: '403 / 7',
        ours: REFUSED,
        why: ANY_FAILURE,
        call: (_, transport) => node.client(transport, { apiKey: '11111111-1111-4111-8111-111111111111' }).info(),
      },
      {
        situation: 'the nil UUID',
        theirs: 'ok, when its own key is missing or malformed',
        ours: REFUSED,
        why: 'API key: no key or a malformed one refuses to start',
        call: (_, transport) =>
          sendRaw(node, transport, { ...info, headers: { 'x-api-key': '00000000-0000-0000-0000-000000000000' } }),
      },
      {
        situation: 'the right key',
        theirs: 'ok',
        ours: 'ok',
        why: 'API key',
        call: (client) => client.info(),
      },
      {
        situation: 'the right key in another spelling',
        theirs: 'ok',
        ours: REFUSED,
        why: 'API key: a text of its own, not a UUID, compared in constant time',
        call: (_, transport) => node.client(transport, { apiKey: KEY.toUpperCase() }).info(),
      },
    ],
  );
});
