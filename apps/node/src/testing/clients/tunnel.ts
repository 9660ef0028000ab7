import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';

/** Starts an echo server on the loopback address. */
export async function startEcho(): Promise<{ readonly port: number; close(): void }> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.pipe(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** A connection through an HTTP proxy. */
export class Tunnel {
  private constructor(private readonly socket: Socket) {}

  static async open(proxyPort: number, targetPort: number): Promise<Tunnel> {
    const call = request({ host: '127.0.0.1', port: proxyPort, method: 'CONNECT', path: `127.0.0.1:${targetPort}` });
    call.end();
    const [response, socket] = await once(call, 'connect');
    if (response.statusCode !== 200) throw new Error(`the proxy answered ${response.statusCode}`);
    socket.on('error', () => undefined);
    return new Tunnel(socket);
  }

  /** Sends a number of bytes and waits until the same ones come back. */
  async echo(count: number): Promise<void> {
    if (this.socket.destroyed) throw new Error('the connection has ended');
    const sent = randomBytes(count);
    const heard: Buffer[] = [];
    let missing = count;
    const all = new Promise<void>((resolve, reject) => {
      const onData = (chunk: Buffer) => {
        heard.push(chunk);
        missing -= chunk.length;
        if (missing > 0) return;
        this.socket.off('data', onData);
        this.socket.off('close', onClose);
        if (Buffer.concat(heard).equals(sent)) resolve();
        else reject(new Error('other bytes came back'));
      };
      const onClose = () => reject(new Error(`the connection ended ${missing} bytes before the end`));
      this.socket.on('data', onData);
      this.socket.once('close', onClose);
    });
    this.socket.write(sent);
    await all;
  }

  get ended(): boolean {
    return this.socket.destroyed;
  }

  close(): void {
    this.socket.destroy();
  }
}
