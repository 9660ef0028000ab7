import http2 from 'node:http2';
import type { Server } from '@grpc/grpc-js';
import { ERROR_CODE_HEADER } from '@rampart/node-client';
import { NodeError } from '../../errors/node-error.js';
import { type Authenticate, WRONG_KEY } from '../authenticator.js';

/** The default of 64 KiB caps an upload at one window per round trip: 8 MiB at 50 ms took 10.7 s instead of 0.3 s. */
const WINDOW_BYTES = 4 * 1024 * 1024;

/** A peer that has not shown the key by then does not need its connection. */
const KEY_WITHIN_MS = 60_000;
/** More than the readers of the log that one peer could have; without a limit a stranger's streams cost memory. */
const MAX_STREAMS = 2048;

type RequestHandler = (request: http2.Http2ServerRequest, response: http2.Http2ServerResponse) => void;
type StreamListener = (stream: http2.ServerHttp2Stream, headers: http2.IncomingHttpHeaders, ...more: unknown[]) => void;

export interface Http2FrontOptions {
  readonly onRequest: RequestHandler;
  readonly authenticate: Authenticate;
  /** Default a minute. */
  readonly keyWithinMs?: number;
}

/**
 * Puts itself before the streams of a grpc-js server: REST requests go to their own handler, and a gRPC call without the
 * key goes nowhere, so that even unknown methods are told only to those who may know.
 */
export function frontHttp2(
  server: Server,
  { onRequest, authenticate, keyWithinMs = KEY_WITHIN_MS }: Http2FrontOptions,
): void {
  const inner = innerServer(server);
  const strangers = new WeakMap<http2.Http2Session, NodeJS.Timeout>();
  inner.on('session', (session) => {
    session.setLocalWindowSize(WINDOW_BYTES);
    session.settings({ initialWindowSize: WINDOW_BYTES, maxConcurrentStreams: MAX_STREAMS });
    const timer = setTimeout(() => session.destroy(), keyWithinMs).unref();
    strangers.set(session, timer);
    session.once('close', () => clearTimeout(timer));
  });
  // It never listens; its own 'stream' listener makes the (request, response) pair.
  const rest = http2.createServer(onRequest);
  const [toGrpc] = inner.listeners('stream') as [StreamListener];
  inner.removeAllListeners('stream');
  const front: StreamListener = (stream, headers, ...more) => {
    const known = authenticate((name) => headers[name]?.toString());
    if (known && stream.session) clearTimeout(strangers.get(stream.session));
    if (!headers['content-type']?.startsWith('application/grpc')) rest.emit('stream', stream, headers, ...more);
    else if (!known) refuse(stream);
    else toGrpc(stream, headers, ...more);
  };
  inner.on('stream', front);
}

/** grpc-js (pinned) has no public way to its HTTP/2 server: it is the key of a private map. */
function innerServer(server: Server): http2.Http2Server {
  const { http2Servers } = server as unknown as { http2Servers?: Map<http2.Http2Server, unknown> };
  const inner = http2Servers && [...http2Servers.keys()][0];
  if (inner?.listenerCount('stream') !== 1)
    throw new Error('the internals of @grpc/grpc-js changed: see http2-front.ts');
  return inner;
}

function refuse(stream: http2.ServerHttp2Stream): void {
  const { code, grpcStatus, message } = new NodeError('UNAUTHENTICATED', WRONG_KEY);
  stream.on('error', () => undefined);
  stream.respond(
    {
      ':status': 200,
      'content-type': 'application/grpc+proto',
      'grpc-status': grpcStatus,
      'grpc-message': encodeURI(message),
      [ERROR_CODE_HEADER]: code,
    },
    { endStream: true },
  );
  // What the caller still sends is not read.
  stream.close(http2.constants.NGHTTP2_NO_ERROR);
}
