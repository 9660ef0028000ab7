import { createServer, type Server, type Socket } from 'node:net';
import { StringDecoder } from 'node:string_decoder';
import type { ByteBook } from './bytes.js';
import { pump } from './pump.js';

const MAX_FIRST_LINE = 64;

/** The server that users reach through the nodes. A connection begins with the line `KEY once` or `KEY stream`. */
export class OriginServer {
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  static start(book: ByteBook): Promise<OriginServer> {
    return new Promise((resolve, reject) => {
      const server = createServer({ allowHalfOpen: true });
      server.once('error', reject);
      server.listen(0, '0.0.0.0', () => {
        const origin = new OriginServer(server, (server.address() as { port: number }).port);
        server.on('connection', (socket) => origin.serve(socket, book));
        resolve(origin);
      });
    });
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private serve(socket: Socket, book: ByteBook): void {
    this.sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => this.sockets.delete(socket));
    let early = '';
    const decoder = new StringDecoder('latin1');
    const begin = (chunk: Buffer) => {
      early += decoder.write(chunk);
      const [, key, kind] = /^(\S+) (once|stream)\n/.exec(early) ?? [];
      if (key === undefined) return void (early.length > MAX_FIRST_LINE && socket.destroy());
      socket.off('data', begin);
      const bytes = book.of(key);
      bytes.serverReceived += early.length;
      socket.on('data', (more: Buffer) => {
        bytes.serverReceived += more.length;
      });
      const write = (text: string | Buffer) => {
        bytes.serverSent += text.length;
        socket.write(text);
      };
      write('welcome\n');
      const stop = kind === 'stream' ? pump(socket, write, STREAM_DOWN_BYTES) : () => undefined;
      // What the client has sent has arrived when its end arrives; then the server ends too.
      socket.once('end', () => {
        stop();
        socket.end();
      });
    };
    socket.on('data', begin);
  }
}

/** Bytes that the server sends at each beat of a stream. */
const STREAM_DOWN_BYTES = 8_192;
