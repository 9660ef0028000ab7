import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';

/** A server that sends everything back. */
export async function startEcho(): Promise<{ readonly port: number; close(): void }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).pipe(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** One connection through a client's HTTP proxy that stays open. */
export class LiveConnection {
  private constructor(private readonly socket: Socket) {}

  static async open(proxyPort: number, targetPort: number): Promise<LiveConnection> {
    const socket = connect(proxyPort, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(`CONNECT 127.0.0.1:${targetPort} HTTP/1.1\r\nhost: 127.0.0.1:${targetPort}\r\n\r\n`);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    if (!answer.toString('latin1').startsWith('HTTP/1.1 200')) throw new Error(`the proxy answered ${answer}`);
    return new LiveConnection(socket);
  }

  /** What comes back for a text; an error when the connection has ended. */
  async say(text: string): Promise<string> {
    if (this.socket.destroyed || this.socket.readableEnded) throw new Error('the connection has ended');
    this.socket.write(text);
    const ended = once(this.socket, 'close').then(() => {
      throw new Error('the connection has ended');
    });
    const [answer] = (await Promise.race([once(this.socket, 'data'), ended])) as [Buffer];
    return answer.toString();
  }

  close(): void {
    this.socket.destroy();
  }
}
