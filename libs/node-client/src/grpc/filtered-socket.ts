import { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { FrameFilter } from './frame-filter.js';

/** A connection to an HTTP/2 server without the frames that `FrameFilter` takes out. It ends with the connection. */
export class FilteredSocket extends Duplex {
  private readonly frames = new FrameFilter();

  constructor(private readonly socket: TLSSocket) {
    super({ allowHalfOpen: false });
    socket
      .on('data', (chunk: Buffer) => this.receive(chunk))
      .once('end', () => this.push(null))
      .once('error', (error) => this.destroy(error))
      .once('close', () => this.destroy());
    if (socket.closed) this.destroy();
  }

  ref(): this {
    this.socket.ref();
    return this;
  }

  unref(): this {
    this.socket.unref();
    return this;
  }

  override _read(): void {
    this.socket.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    if (this.socket.write(chunk)) done();
    else this.socket.once('drain', done);
  }

  override _writev(chunks: readonly { chunk: Buffer }[], done: () => void): void {
    this.socket.cork();
    let hasRoom = true;
    for (const { chunk } of chunks) hasRoom = this.socket.write(chunk);
    this.socket.uncork();
    if (hasRoom) done();
    else this.socket.once('drain', done);
  }

  override _final(done: () => void): void {
    this.socket.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.socket.destroy();
    done(error);
  }

  private receive(chunk: Buffer): void {
    try {
      const passed = this.frames.pass(chunk);
      if (passed.length > 0 && !this.push(passed)) this.socket.pause();
    } catch (error) {
      this.destroy(error as Error);
    }
  }
}
