import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@rampart/testing';
import type { Endpoint } from '../config/endpoints.js';
import { addressOf, resetConnections } from './reset-connections.js';

const searchPath = process.env['PATH'] ?? '';
const canCut = process.getuid?.() === 0 && spawnSync('ss', ['-V']).status === 0;
const withIpv6 = spawnSync('ss', ['-Hltn', 'src [::1]']).status === 0;

/** A process with some connections to a port, which prints the number of open ones whenever it changes. */
const CLIENT = `
  const [host, port, count] = process.argv.slice(1);
  let open = 0;
  const tell = () => console.log(open);
  for (let index = 0; index < Number(count); index += 1) {
    require('node:net').connect(Number(port), host, () => { open += 1; tell(); })
      .on('error', () => {}).on('close', () => { open -= 1; tell(); });
  }
  setInterval(() => {}, 1000);
`;

class Client {
  private said = '';
  private readonly child: ChildProcess;

  constructor(host: string, port: number, count: number) {
    this.child = spawn(process.execPath, ['-e', CLIENT, host, String(port), String(count)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.child.stdout?.on('data', (text: Buffer) => {
      this.said += text;
    });
  }

  get open(): number {
    return Number(this.said.trim().split('\n').at(-1));
  }

  close(): void {
    this.child.kill('SIGKILL');
  }
}

describe(resetConnections.name, () => {
  const opened: { close(): unknown }[] = [];
  const accepted: Socket[] = [];

  const listen = async (host: string): Promise<{ port: number; endpoint: Endpoint }> => {
    const server: Server = createServer((socket) => accepted.push(socket.on('error', () => undefined)));
    opened.push(server);
    await once(server.listen(0, host), 'listening');
    const { port } = server.address() as AddressInfo;
    return { port, endpoint: { tag: 'in', kind: 'port', host, first: port, last: port, transport: 'tcp' } };
  };
  const clients = async (host: string, port: number, count: number): Promise<Client> => {
    const client = new Client(host, port, count);
    opened.push(client);
    await eventually(`${count} connections are open`, (saw) => saw(client.open) === count);
    return client;
  };
  const cut = (endpoints: Endpoint[], path = searchPath) =>
    resetConnections(process.pid, endpoints, { searchPath: path, rights: undefined });

  afterEach(() => {
    for (const each of opened.splice(0)) each.close();
    for (const socket of accepted.splice(0)) socket.destroy();
  });

  (canCut ? it : it.skip).each([
    ['IPv4', '127.0.0.1', '127.0.0.1'],
    ...(withIpv6
      ? [
          ['IPv4 at a socket for both', '::', '127.0.0.1'],
          ['IPv6', '::1', '::1'],
        ]
      : []),
  ])('all connections on a port are reset over %s, and none elsewhere', async (_name, host, address) => {
    const [here, there] = [await listen(host), await listen(host)];
    const [going, staying] = [await clients(address, here.port, 450), await clients(address, there.port, 2)];
    expect(await cut([here.endpoint])).toBeUndefined();
    await eventually('they have ended', (saw) => saw(going.open) === 0);
    expect(staying.open).toBe(2);
  });

  (canCut ? it : it.skip)(
    'connections that the process opens to itself, as a fallback does, are not reset',
    async () => {
      const { port, endpoint } = await listen('127.0.0.1');
      const own = connect(port, '127.0.0.1');
      await once(own, 'connect');
      const client = await clients('127.0.0.1', port, 1);
      expect(await cut([endpoint])).toBeUndefined();
      await eventually('the other one has ended', (saw) => saw(client.open) === 0);
      expect(own.readyState).toBe('open');
      own.destroy();
    },
  );

  it('connections cannot be reset without ss, which is reported, unless there are none', async () => {
    const { port, endpoint } = await listen('127.0.0.1');
    expect(await cut([endpoint], '/nowhere')).toBeUndefined();
    const client = await clients('127.0.0.1', port, 1);
    expect(await cut([], '/nowhere')).toBeUndefined();
    expect(await cut([endpoint], '/nowhere')).toBe('PATH has no ss; install iproute2');
    expect(client.open).toBe(1);
  });

  it('connections that the kernel does not reset are reported with the missing capability', async () => {
    const { port, endpoint } = await listen('127.0.0.1');
    const client = await clients('127.0.0.1', port, 1);
    // Behaves like `ss` without the capability: it prints nothing and succeeds.
    const folder = mkdtempSync(join(tmpdir(), 'rampart-ss-'));
    symlinkSync('/bin/true', join(folder, 'ss'));
    expect(await cut([endpoint], folder)).toBe(
      'the node lacks the capability net_admin, or the kernel CONFIG_INET_DIAG_DESTROY',
    );
    rmSync(folder, { recursive: true });
    expect(client.open).toBe(1);
  });
});

describe(addressOf.name, () => {
  it.each([
    ['0100007F:01BB', '127.0.0.1:443'],
    ['00000000000000000000000001000000:1F90', '[0000:0000:0000:0000:0000:0000:0000:0001]:8080'],
    ['0000000000000000FFFF00000100007F:0050', '[0000:0000:0000:0000:0000:ffff:7f00:0001]:80'],
  ])('the kernel address %s is formatted as %s', (end, address) => {
    expect(addressOf(end)).toBe(address);
  });
});
