import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { TestAuthority, until } from '@rampart/testing';
import { DataSource } from 'typeorm';
import { TestManagement } from '../testing/test-management.js';
import { NodeChecks } from './check-nodes.js';

const NODES = 45;

let management: TestManagement;
/** Accepts connections and says nothing, like a machine that hangs. */
let hanging: Server;
const open = new Set<Socket>();

beforeAll(async () => {
  hanging = createServer((socket) => {
    open.add(socket.on('error', () => undefined).on('close', () => open.delete(socket)));
  });
  await once(hanging.listen(0, '127.0.0.1'), 'listening');
  management = await TestManagement.start();
  const { pem } = await TestAuthority.create();
  const { port } = hanging.address() as AddressInfo;
  for (let index = 0; index < NODES; index += 1) {
    const { status } = await management.call('POST', '/api/node', {
      ...{ name: `node ${index}`, address: '127.0.0.1', port, connection_type: 'grpc', keep_alive: 0 },
      ...{ server_ca: pem, core_config_id: 1, api_key: '4f9c1d5e-60f7-4a3a-9d0b-2f5b8a7c6e11' },
    });
    expect(status).toBe(201);
  }
});
afterAll(async () => {
  await management?.close();
  for (const socket of open) socket.destroy();
  hanging?.close();
});

it('NodeChecks look at all nodes and at their certificates at once, so that nodes that hang delay nobody', async () => {
  const checks = management.app.get(NodeChecks).run();
  // A worker holds at most one connection to each node; all others are those of the checks, none of which has given up yet.
  await until((saw) => saw(open).size > NODES + NODES / 2, 6_000);
  hanging.close();
  for (const socket of open) socket.destroy();
  const rows = await checks;
  // None of them was ever reached.
  expect(rows.map(({ state }) => state)).toEqual(Array(NODES).fill('warning'));
  for (const { seen } of rows) expect(seen).toMatch(/^waits for its first contact: /);
});

it('NodeChecks call a node wrong that was reached before and does not answer any more', async () => {
  const database = management.app.get(DataSource);
  await database.query("UPDATE nodes SET node_version = '0.5.0' WHERE name = 'node 0'");
  const rows = await management.app.get(NodeChecks).run();
  expect(rows.filter(({ state }) => state === 'wrong').map(({ name }) => name)).toEqual(['node node 0']);
});

it('NodeChecks say nothing of the certificate that something else shows at the address of an enrolled node', async () => {
  const { certificate: cert, key } = await (await TestAuthority.create()).issue(['127.0.0.1']);
  const server = createTlsServer({ cert, key }, (socket) => socket.on('error', () => undefined).destroy());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const { status } = await management.call('POST', '/api/nodes/enrol', {
    name: 'enrolled',
    address: '127.0.0.1',
    port,
  });
  expect(status).toBe(201);
  const rows = await management.app.get(NodeChecks).run();
  server.close();
  expect(rows.filter(({ name }) => name.startsWith('node enrolled'))).toEqual([
    {
      ...{ name: 'node enrolled', state: 'wrong', seen: expect.stringContaining('is not the node that we know') },
      advice: expect.stringMatching(/If it does run with it, something else answers at its address and port\.$/),
    },
  ]);
});
