import type { ClientHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import { Http2SubchannelConnector } from '@grpc/grpc-js/build/src/transport.js';

/** The parts of the connector that grpc-js keeps to itself. */
interface Connector {
  createSession(
    connection: { readonly socket: Socket },
    ...others: unknown[]
  ): Promise<{ readonly session: ClientHttp2Session }>;
}

/**
 * Lets a process end while a connection of it has no call, as grpc-js intends: node:http2 does not hand `ref` and `unref` of a
 * session on to a socket that is no `net.Socket`. It is a call, because bundlers leave out a module that is imported for its
 * effect alone.
 */
export function releaseIdleSessions(): void {
  const connector = Http2SubchannelConnector.prototype as unknown as Connector;
  const { createSession } = connector;
  connector.createSession = async function release(connection, ...others) {
    const { socket } = connection;
    const transport = await createSession.call(this, connection, ...others);
    transport.session.ref = () => void socket.ref();
    transport.session.unref = () => void socket.unref();
    socket.unref();
    return transport;
  };
}
