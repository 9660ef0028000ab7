import type { Socket } from 'node:net';
import { type buildConnector, Client, type Dispatcher } from 'undici';
import { NodeClientError } from '../errors/node-client-error.js';

/** What an answer may have beside its body: its status, headers and trailers, some informational answers, and what is not read yet. */
const BESIDE_BODY_BYTES = 256 * 1024;
/** A chunk of one byte takes six: its size in a line, the byte, and an end of line. */
const BYTES_OF_BODY_BYTE = 6;

/**
 * A client for one connection at a time. Who sends much that belongs to no body over it, such as extensions of chunks, spaces
 * before values of headers or empty lines, which undici would read without end, is disconnected.
 */
export class BoundedClient extends Client {
  private readonly bound: AnswerBound;

  constructor(origin: string | URL, options: Client.Options & { readonly connect: buildConnector.connector }) {
    const bound = new AnswerBound();
    const connect: buildConnector.connector = (target, callback) =>
      options.connect(target, (...result) => {
        const [, socket] = result;
        if (socket) bound.watch(socket);
        callback(...result);
      });
    super(origin, { ...options, connect });
    this.bound = bound;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const { bound } = this;
    // Requests of undici have this form of handlers; its DecoratorHandler, which translates it, takes no informational answers.
    return super.dispatch(options, {
      onConnect(...all) {
        bound.begin();
        handler.onConnect?.(...all);
      },
      onHeaders: (...all) => handler.onHeaders?.(...all) ?? true,
      onData(chunk) {
        bound.countBody(chunk.length);
        return handler.onData?.(chunk) ?? true;
      },
      onComplete: (...all) => handler.onComplete?.(...all),
      onError: (...all) => handler.onError?.(...all),
    });
  }
}

/** Compares what has come over a connection since a request began with the body of its answer. */
class AnswerBound {
  private socket: Socket | undefined;
  private allowed = 0;

  watch(socket: Socket): void {
    this.socket = socket;
    this.begin();
    // undici reads in a listener that is behind this one.
    socket.on('readable', () => {
      if (socket.bytesRead > this.allowed)
        socket.destroy(new NodeClientError('PROTOCOL', 'the node sends much beside the bodies of its answers'));
    });
  }

  begin(): void {
    this.allowed = (this.socket?.bytesRead ?? 0) + BESIDE_BODY_BYTES;
  }

  countBody(bytes: number): void {
    this.allowed += BYTES_OF_BODY_BYTE * bytes;
  }
}
