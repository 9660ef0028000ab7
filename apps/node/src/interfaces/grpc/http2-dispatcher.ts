import http2 from 'node:http2';
import type { Server } from '@grpc/grpc-js';
import { ERROR_CODE_HEADER } from '@rampart/node-client';
import type { Peer } from '@rampart/program';
import { NodeError } from '../../errors/node-error.js';
import { type Authenticate, UNAUTHENTICATED_MESSAGE } from '../auth/authenticator.js';

/** The default of 64 KiB limits an upload to one window per round trip: 8 MiB at 50 ms took 10.7 s instead of 0.3 s. */
const AUTHENTICATED_WINDOW_BYTES = 4 * 1024 * 1024;

/**
 * Time before a connection without the key is closed: calls that are sent together are all answered with the refusal.
 */
const UNAUTHENTICATED_SESSION_MS = 1_000;
/** Time in which a peer without the key may read its refusals. */
const CLOSE_GRACE_MS = 1_000;
/**
 * Maximum number of streams of one connection: more than the log readers that one peer can have. It bounds the memory
 * that a peer without the key can take.
 */
const MAX_STREAMS = 2048;

type RequestHandler = (request: http2.Http2ServerRequest, response: http2.Http2ServerResponse) => void;
type StreamListener = (stream: http2.ServerHttp2Stream, headers: http2.IncomingHttpHeaders, ...more: unknown[]) => void;

export interface Http2DispatcherOptions {
  readonly onRequest: RequestHandler;
  readonly authenticate: Authenticate;
  /** Called with the socket of a connection once a request on it has shown the key. */
  readonly onAuthenticated: (socket: Peer) => void;
}

/**
 * Dispatches the streams of a grpc-js server: REST requests go to their own handler, and gRPC calls without the key are
 * refused before grpc-js sees them, so that unknown methods are only reported to authenticated callers. A connection on
 * which only requests without the key have come is closed a second after the first of them.
 */
export function dispatchHttp2Streams(
  server: Server,
  { onRequest, authenticate, onAuthenticated }: Http2DispatcherOptions,
): void {
  const inner = http2ServerOf(server);
  const known = new WeakSet<http2.Http2Session>();
  const closing = new WeakSet<http2.Http2Session>();
  inner.on('session', (session) => session.settings({ maxConcurrentStreams: MAX_STREAMS }));
  // This server never listens; its own 'stream' listener makes the (request, response) pair.
  const rest = http2.createServer(onRequest);
  const [toGrpc] = inner.listeners('stream') as [StreamListener];
  inner.removeAllListeners('stream');
  const front: StreamListener = (stream, headers, ...more) => {
    const { session } = stream;
    const hasKey = authenticate((name) => headers[name]?.toString());
    if (hasKey && session && !known.has(session)) {
      known.add(session);
      onAuthenticated(session.socket);
      session.setLocalWindowSize(AUTHENTICATED_WINDOW_BYTES);
      session.settings({ initialWindowSize: AUTHENTICATED_WINDOW_BYTES, maxConcurrentStreams: MAX_STREAMS });
    }
    if (!headers['content-type']?.startsWith('application/grpc')) rest.emit('stream', stream, headers, ...more);
    else if (!hasKey) refuseCall(stream);
    else toGrpc(stream, headers, ...more);
    if (!session || known.has(session) || closing.has(session)) return;
    closing.add(session);
    const deadline = setTimeout(() => known.has(session) || closeSession(session), UNAUTHENTICATED_SESSION_MS).unref();
    session.once('close', () => clearTimeout(deadline));
  };
  inner.on('stream', front);
}

/** Accepts no more streams; answers that are being sent may end. */
function closeSession(session: http2.Http2Session): void {
  session.close();
  const deadline = setTimeout(() => session.destroy(), CLOSE_GRACE_MS).unref();
  session.once('close', () => clearTimeout(deadline));
}

/** grpc-js (pinned) has no public access to its HTTP/2 server: it is the key of a private map. */
function http2ServerOf(server: Server): http2.Http2Server {
  const { http2Servers } = server as unknown as { http2Servers?: Map<http2.Http2Server, unknown> };
  const inner = http2Servers && [...http2Servers.keys()][0];
  if (inner?.listenerCount('stream') !== 1)
    throw new Error('the internals of @grpc/grpc-js changed: see http2-dispatcher.ts');
  return inner;
}

function refuseCall(stream: http2.ServerHttp2Stream): void {
  const { code, grpcStatus, message } = new NodeError('UNAUTHENTICATED', UNAUTHENTICATED_MESSAGE);
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
  // The rest of the request is not read.
  stream.close(http2.constants.NGHTTP2_NO_ERROR);
}
