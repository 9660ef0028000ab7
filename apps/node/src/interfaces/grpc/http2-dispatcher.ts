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
/** Maximum number of streams at a time of a connection with the key: more than the log readers that one peer can have. */
const MAX_STREAMS = 2048;
/** The same before the key, and the streams that may be opened in all: a client shows the key in its first request. */
const MAX_UNAUTHENTICATED_STREAMS = 8;
const MAX_UNAUTHENTICATED_REQUESTS = 32;

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
 * which only requests without the key have come is closed a second after the first of them, and at once when the peer
 * takes a request back or sends many: each costs the node more than the peer.
 */
export function dispatchHttp2Streams(
  server: Server,
  { onRequest, authenticate, onAuthenticated }: Http2DispatcherOptions,
): void {
  const inner = http2ServerOf(server);
  const strangers = new WeakMap<http2.Http2Session, UnauthenticatedSession>();
  inner.on('session', (session) => {
    session.settings({ maxConcurrentStreams: MAX_UNAUTHENTICATED_STREAMS });
    strangers.set(session, new UnauthenticatedSession(session));
  });
  // This server never listens; its own 'stream' listener makes the (request, response) pair.
  const rest = http2.createServer(onRequest);
  const [toGrpc] = inner.listeners('stream') as [StreamListener];
  inner.removeAllListeners('stream');
  const front: StreamListener = (stream, headers, ...more) => {
    // Without a listener, the error of a session that a peer breaks off would end the process.
    stream.on('error', ignore);
    const { session } = stream;
    // Requests that arrived together with the one for which a session was destroyed are still delivered.
    if (session === undefined || session.destroyed) return;
    const stranger = strangers.get(session);
    if (stranger?.admits(stream) === false) return;
    const hasKey = authenticate((name) => headers[name]?.toString());
    if (hasKey && stranger !== undefined) {
      strangers.delete(session);
      stranger.end();
      onAuthenticated(session.socket);
      session.setLocalWindowSize(AUTHENTICATED_WINDOW_BYTES);
      session.settings({ initialWindowSize: AUTHENTICATED_WINDOW_BYTES, maxConcurrentStreams: MAX_STREAMS });
    }
    if (!headers['content-type']?.startsWith('application/grpc')) rest.emit('stream', stream, headers, ...more);
    else if (hasKey) toGrpc(stream, headers, ...more);
    else refuseCall(stream);
  };
  inner.on('stream', front);
}

/** Limits what a connection costs on which no request has shown the key yet. */
class UnauthenticatedSession {
  private requests = 0;
  private ended = false;
  private deadline: NodeJS.Timeout | undefined;

  constructor(private readonly session: http2.Http2Session) {
    session.once('close', () => this.end());
  }

  /** Counts a request. Returns whether it is to be answered; otherwise the session was destroyed. */
  admits(stream: http2.ServerHttp2Stream): boolean {
    this.requests += 1;
    if (this.requests > MAX_UNAUTHENTICATED_REQUESTS || wasReset(stream)) {
      this.session.destroy();
      return false;
    }
    this.deadline ??= setTimeout(() => closeSession(this.session), UNAUTHENTICATED_SESSION_MS).unref();
    stream.once('close', () => {
      if (!this.ended && wasReset(stream)) this.session.destroy();
    });
    return true;
  }

  /** No limit applies any more: a request has shown the key. */
  end(): void {
    this.ended = true;
    clearTimeout(this.deadline);
  }
}

const wasReset = ({ rstCode = http2.constants.NGHTTP2_NO_ERROR }: http2.ServerHttp2Stream): boolean =>
  rstCode !== http2.constants.NGHTTP2_NO_ERROR;

const ignore = (): void => undefined;

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
