import { connect, type Socket } from 'node:net';
import type { Bytes } from './bytes.js';
import { pump } from './pump.js';

/** Bytes that the client sends at each beat of a stream. */
const STREAM_UP_BYTES = 2_048;

/** Tries a new connection of a user: whether the origin server answers within this time. */
export async function getsThrough(port: number, key: string, bytes: Bytes, withinMs: number): Promise<boolean> {
  const socket = open(port, bytes);
  send(socket, bytes, `${key} once\n`);
  const through = await answers(socket, withinMs);
  socket.end();
  socket.setTimeout(withinMs, () => socket.destroy());
  // Bytes that were sent arrive before the server ends, unless the connection is held up.
  await closed(socket);
  return through;
}

/** A connection of a user on which bytes go both ways until it is ended. */
export class Stream {
  readonly since = Date.now();
  private ending = false;

  private constructor(
    private readonly socket: Socket,
    private readonly stopPump: () => void,
    /** Settles when the connection is closed: true if something else than {@link end} closed it. */
    readonly closed: Promise<boolean>,
  ) {}

  /** Opens a stream; undefined if the origin server does not answer within this time. */
  static async open(port: number, key: string, bytes: Bytes, withinMs: number): Promise<Stream | undefined> {
    const socket = open(port, bytes);
    send(socket, bytes, `${key} stream\n`);
    if (!(await answers(socket, withinMs))) return undefined;
    const stopPump = pump(socket, (chunk) => send(socket, bytes, chunk), STREAM_UP_BYTES);
    const stream: Stream = new Stream(
      socket,
      stopPump,
      closed(socket).then(() => !stream.ending),
    );
    return stream;
  }

  /** Ends it such that everything sent arrives; cuts it off after this time. */
  async end(withinMs: number): Promise<void> {
    this.ending = true;
    this.stopPump();
    this.socket.end();
    const timer = setTimeout(() => this.socket.destroy(), withinMs);
    await this.closed;
    clearTimeout(timer);
  }
}

function open(port: number, bytes: Bytes): Socket {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => {
    bytes.clientReceived += chunk.length;
  });
  // A server that ends has received everything or was cut off.
  socket.once('end', () => socket.end());
  return socket;
}

function send(socket: Socket, bytes: Bytes, text: string | Buffer): void {
  bytes.clientSent += text.length;
  socket.write(text);
}

/** Whether anything arrives within this time; otherwise the socket is closed. */
async function answers(socket: Socket, withinMs: number): Promise<boolean> {
  const timer = setTimeout(() => socket.destroy(), withinMs);
  const arrived = await new Promise<boolean>((resolve) => {
    socket.once('data', () => resolve(true)).once('close', () => resolve(false));
  });
  clearTimeout(timer);
  return arrived;
}

const closed = (socket: Socket): Promise<unknown> =>
  socket.closed ? Promise.resolve() : new Promise((resolve) => socket.once('close', resolve));
