import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import net from 'node:net';
import tls from 'node:tls';
import type { Issued } from './certificates.js';

/** A TLS server that sends nothing and records everything that it receives. */
export class TlsPeer {
  readonly received: Buffer[] = [];
  private readonly server: tls.Server;
  private handshakes = 0;
  private readonly sockets = new Set<net.Socket>();

  constructor({ cert, key }: Issued, options: tls.SecureContextOptions = {}) {
    this.server = tls.createServer({ cert, key, ALPNProtocols: ['h2', 'http/1.1'], ...options }, (socket) => {
      this.handshakes += 1;
      socket.on('error', () => undefined).on('data', (chunk) => this.received.push(chunk));
    });
    this.server.on('connection', (socket) => this.sockets.add(socket));
  }

  get handshaken(): number {
    return this.handshakes;
  }

  get connections(): number {
    return this.sockets.size;
  }

  async listen(): Promise<number> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return (this.server.address() as AddressInfo).port;
  }

  /** The first connection whose handshake succeeds. */
  async secured(): Promise<tls.TLSSocket> {
    const [socket] = await once(this.server, 'secureConnection');
    return socket;
  }

  /** Waits until every connection is closed, so that nothing more can arrive. */
  async quiet(): Promise<void> {
    await Promise.all([...this.sockets].filter((socket) => !socket.closed).map((socket) => once(socket, 'close')));
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }
}

/** A port on which no program listens. */
export async function closedPort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
