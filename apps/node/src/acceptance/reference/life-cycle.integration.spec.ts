import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import type { NodeClient } from '@rampart/node-client';
import { eventually, freePort } from '@rampart/testing';
import { enginePids } from '../../testing/engine-pids.js';
import { RunningNode } from '../../testing/nodes/running-node.js';
import { itEachRow, vlessConfig, vlessUser } from '../../testing/reference-table.js';

describe('node-reference.md §1.6, Start, Stop, keepAlive, take-over, row by row', () => {
  let node: RunningNode;
  let port: number;
  let before: NodeClient;
  const clients = new Map<string, NodeClient>();
  const pids = () => enginePids(node.dataDir);
  /** A configuration that differs from all earlier ones. */
  const newConfig = () => vlessConfig(port, { outbounds: [{ tag: randomUUID(), protocol: 'freedom' }] });

  beforeAll(async () => {
    node = await RunningNode.open();
    port = await freePort();
    before = node.client('grpc');
    for (const transport of ['rest', 'grpc'] as const) clients.set(transport, node.client(transport));
    await before.start({ config: vlessConfig(port) });
  });
  afterAll(() => node.close());

  itEachRow(
    (transport) => clients.get(transport) ?? before,
    [
      {
        situation: 'Start by another client while it runs',
        theirs: '200, the old engine is killed first; the client before works on with the new one',
        ours: 'ok',
        why: 'Start while running: the same configuration restarts nothing',
        call: async (client) => {
          const running = await pids();
          await client.start({ config: vlessConfig(port), users: [vlessUser('3.c')] });
          expect(await pids()).toEqual(running);
          await before.syncUser([vlessUser('4.d')]);
          expect(await client.info()).toMatchObject({ running: true, usersCount: 2n, restarts: 0n });
        },
      },
      {
        situation: 'a bad configuration while it runs',
        theirs: '503 / 2, and nothing runs any more',
        ours: [400, 3, /JSON/],
        why: 'Start while running: refused, and the old one runs on',
        call: async (client) => {
          const running = await pids();
          try {
            await client.start({ config: '{' });
          } finally {
            expect(await pids()).toEqual(running);
            expect(await client.info()).toMatchObject({ running: true, usersCount: 2n });
          }
        },
      },
      {
        situation: '/info and other calls while a Start is under way',
        theirs: 'all of them wait for it',
        ours: 'ok',
        why: 'Before Start: /info answers',
        call: async (client) => {
          // Opens the connection of each client.
          await Promise.all([client.info(), client.info()]);
          const order: string[] = [];
          const start = client.start({ config: newConfig() }).then(() => order.push('start'));
          await Promise.all([
            client.info().then(() => order.push('info')),
            before.backendStats().then(() => order.push('stats')),
            start,
          ]);
          expect(order.at(-1)).toBe('start');
        },
      },
      {
        situation: 'a caller that leaves during Start',
        theirs: 'ends the engine that is starting',
        ours: 'ok',
        why: 'Start while running: what was begun is done, whoever waits for it',
        call: async (client) => {
          const { configDigest } = await before.info();
          await Promise.all([client.info(), client.info()]);
          const leave = new AbortController();
          const start = client.start({ config: newConfig() }, { signal: leave.signal }).catch((error) => error);
          // This call comes after the Start, and long before an engine can be up.
          await client.info();
          leave.abort();
          expect(await start).toMatchObject({ code: 'CANCELLED' });
          await eventually('it takes over', async (saw) => saw(await before.info()).configDigest !== configDigest);
          expect(await before.info()).toMatchObject({ running: true });
        },
      },
      {
        situation: 'Stop, twice',
        theirs: 'the second: 500 / 14',
        ours: 'ok',
        why: 'Stop while stopped: succeeds',
        call: async (client) => {
          await client.stop();
          expect(await pids()).toEqual([]);
          await client.stop();
        },
      },
      {
        situation: 'a call after Stop',
        theirs: '500 / 14',
        ours: [500, 14, 'backend not initialized'],
        why: 'Before Start: everything else is refused',
        call: (client) => client.backendStats(),
      },
      {
        situation: 'keepAlive and calls that fail',
        theirs: 'only calls that succeed count, looked at every 5 s',
        ours: 'ok',
        why: 'keepAlive: seconds without a successful call',
        call: async (client) => {
          await client.start({ config: vlessConfig(port), keepAlive: 1n });
          await eventually('it stops in spite of calls that fail', async () => {
            await client.userOnline('').catch(() => undefined);
            return (await pids()).length === 0;
          });
          await eventually('the session is over', async (saw) => !saw(await before.info()).running);
        },
      },
      {
        situation: 'keepAlive and an open log stream',
        theirs: 'does not count until it ends',
        ours: 'ok',
        why: 'keepAlive: an open log stream counts as alive',
        call: async (client) => {
          await client.start({ config: vlessConfig(port), keepAlive: 1n });
          const began = performance.now();
          const leave = new AbortController();
          const reading = (async () => {
            for await (const _ of client.logs({ signal: leave.signal, resume: false }));
          })();
          await eventually('it runs on after its time', async () => {
            expect(await pids()).toHaveLength(1);
            return performance.now() - began > 1500;
          });
          leave.abort();
          await reading;
          await eventually('nobody called, and it stops', async (saw) => saw(await pids()).length === 0);
        },
      },
    ],
  );
});
