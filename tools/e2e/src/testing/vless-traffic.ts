import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';

const PING = Buffer.alloc(4096, 'rampart');
/** The header of an answer: the version, and no addons. */
const ANSWER_HEADER_BYTES = 2;
const PAUSE_MS = 5;

/**
 * Traffic of one user of a VLESS inbound without transport security, without a client that would try again: one
 * connection that stays open, and new ones all the time.
 */
export class VlessTraffic {
  /** Bytes that were sent and have come back. */
  bytes = 0;
  /** Connections that were opened for one ping. */
  opened = 0;
  /** What went wrong, one line for each connection. */
  readonly failures: string[] = [];
  private stopping = false;
  private readonly ended: Promise<unknown>;

  private constructor(
    private readonly port: number,
    private readonly id: string,
    private readonly echo: Server,
    private readonly lasting: Socket,
  ) {
    this.ended = Promise.all([this.use(), this.openMore()]);
  }

  /** @param id the UUID of the user */
  static async start(port: number, id: string): Promise<VlessTraffic> {
    const echo = createServer((socket) => socket.on('error', () => socket.destroy()).pipe(socket));
    await once(echo.listen(0, '127.0.0.1'), 'listening');
    return new VlessTraffic(port, id, echo, await open(port));
  }

  /** Ends the new connections; the lasting one stays open. */
  async stop(): Promise<void> {
    this.stopping = true;
    await this.ended;
  }

  close(): void {
    this.stopping = true;
    this.lasting.destroy();
    this.echo.close();
  }

  private async use(): Promise<void> {
    try {
      await this.ping(this.lasting, this.header);
      while (!this.stopping) {
        await setTimeout(PAUSE_MS);
        await this.ping(this.lasting);
      }
    } catch (error) {
      this.failures.push(`the lasting connection: ${String(error)}`);
    }
  }

  private async openMore(): Promise<void> {
    while (!this.stopping) {
      try {
        const socket = await open(this.port);
        await this.ping(socket, this.header);
        socket.destroy();
        this.opened += 1;
      } catch (error) {
        this.failures.push(`connection ${this.opened + 1}: ${String(error)}`);
      }
      await setTimeout(PAUSE_MS);
    }
  }

  /** The request: version, id, no addons, TCP, and the address of the echo server. */
  private get header(): Buffer {
    const port = (this.echo.address() as AddressInfo).port;
    const id = Buffer.from(this.id.replaceAll('-', ''), 'hex');
    return Buffer.concat([Buffer.of(0), id, Buffer.of(0, 1, port >> 8, port & 255, 1, 127, 0, 0, 1)]);
  }

  private async ping(socket: Socket, header?: Buffer): Promise<void> {
    let missing = PING.length + (header === undefined ? 0 : ANSWER_HEADER_BYTES);
    const answered = new Promise<void>((resolve, reject) => {
      const onEnd = () => reject(new Error(`it ended ${missing} bytes before the end of an answer`));
      const onData = (chunk: Buffer) => {
        missing -= chunk.length;
        if (missing > 0) return;
        socket.off('data', onData).off('close', onEnd);
        resolve();
      };
      socket.on('data', onData).once('close', onEnd);
    });
    socket.write(header === undefined ? PING : Buffer.concat([header, PING]));
    await answered;
    this.bytes += PING.length;
  }
}

async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return socket.on('error', () => socket.destroy());
}
