import type { ClientHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import { Http2SubchannelConnector } from '@grpc/grpc-js/build/src/transport.js';
import { countInformationalAnswers, TOO_MANY_INFORMATIONAL_ANSWERS } from '../transport/informational-answers.js';

/** The parts of the connector that grpc-js keeps to itself. */
interface Connector {
  createSession(
    connection: { readonly socket: Socket },
    ...others: unknown[]
  ): Promise<{ readonly session: ClientHttp2Session }>;
}

const connector = Http2SubchannelConnector.prototype as unknown as Connector;
const { createSession } = connector;

/**
 * Gives the sessions of grpc-js what they lack: a connection with too many informational answers to one call is closed, and a
 * process ends while its connections have no call. It is a call, because bundlers leave out a module that is imported for its
 * effect alone.
 */
export function prepareSessions(): void {
  connector.createSession = async function prepared(connection, ...others) {
    const transport = await createSession.call(this, connection, ...others);
    limitAnswersOf(transport.session);
    releaseWhenIdle(transport.session, connection.socket);
    return transport;
  };
}

function limitAnswersOf(session: ClientHttp2Session): void {
  const request = session.request.bind(session);
  session.request = (...parameters) =>
    request(...parameters).on(
      'headers',
      countInformationalAnswers(() => session.destroy(new Error(TOO_MANY_INFORMATIONAL_ANSWERS))),
    );
}

/** node:http2 does not hand `ref` and `unref`, which grpc-js calls, on to a socket that is no `net.Socket`. */
function releaseWhenIdle(session: ClientHttp2Session, socket: Socket): void {
  session.ref = () => void socket.ref();
  session.unref = () => void socket.unref();
  socket.unref();
}
