import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@rampart/testing';
import { abstractPathOf } from '../preflight/testing/abstract-path.js';
import { hasClientConnections } from './client-connections.js';

describe(hasClientConnections.name, () => {
  const scratch = mkdtempSync(join(tmpdir(), 'rampart-connections-'));
  const path = join(scratch, 'in.sock');
  const servers: Server[] = [];
  const sockets: Socket[] = [];

  const listen = async (on: object): Promise<Server> => {
    const server = createServer((socket) => sockets.push(socket)).listen(on);
    servers.push(server);
    await once(server, 'listening');
    return server;
  };
  const open = async (to: { port: number } | { path: string }): Promise<Socket> => {
    const socket = 'port' in to ? connect(to.port, '127.0.0.1') : connect(to.path);
    await once(socket, 'connect');
    return socket;
  };

  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    for (const server of servers) server.close();
    rmSync(scratch, { recursive: true });
  });

  it("client connections are found on the inbounds' ports and paths, and nowhere else", async () => {
    const { port } = (await listen({ port: 0, host: '127.0.0.1' })).address() as AddressInfo;
    const { port: elsewhere } = (await listen({ port: 0, host: '127.0.0.1' })).address() as AddressInfo;
    await listen({ path });
    const abstract = `rampart-connections-${process.pid}`;
    await listen({ path: `\0${abstract}` });
    const range = { tag: 'in', kind: 'port' as const, host: '127.0.0.1', first: port, last: port };
    const endpoints = [
      { ...range, transport: 'tcp' as const },
      { tag: 'path', kind: 'path' as const, path },
      { tag: 'abstract', kind: 'path' as const, path: abstractPathOf(abstract) },
    ];
    const has = () => hasClientConnections(process.pid, endpoints);

    expect(await has()).toBe(false);
    const foreign = await open({ port: elsewhere });
    expect(await has()).toBe(false);
    for (const to of [{ port }, { path }, { path: `\0${abstract}` }]) {
      const socket = await open(to);
      await eventually('the connection is seen', has);
      socket.end();
      for (const accepted of sockets) accepted.end();
      await eventually('it has ended', async (saw) => !saw(await has()));
    }
    foreign.destroy();
  });

  it('client connections of a missing process are unknown', async () => {
    expect(await hasClientConnections(2 ** 30, [])).toBeUndefined();
  });
});
