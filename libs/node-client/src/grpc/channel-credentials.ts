import type { TLSSocket } from 'node:tls';
import { CallCredentials, ChannelCredentials, type experimental } from '@grpc/grpc-js';
import { clientCertificateError } from '../connection/client-certificate-error.js';
import { connectSecurely, type Peer } from '../connection/secure-connection.js';
import { NodeClientError } from '../errors/node-client-error.js';
import { FilteredSocket } from './filtered-socket.js';

/**
 * Channel credentials that connect in the same way as REST. Those of grpc-js cannot pin a certificate: with
 * `rejectUnauthorized: false`, node:tls never calls `checkServerIdentity` for an unknown chain.
 */
export class NodeCredentials extends ChannelCredentials {
  /** Why the last connection has failed; undefined after a successful one. */
  failure: NodeClientError | undefined;
  private readonly closing = new AbortController();

  /** @param lost called whenever an open connection has ended. */
  constructor(
    private readonly peer: Peer,
    private readonly lost: () => void,
  ) {
    super();
  }

  /** Aborts a connection attempt, which closing the channel does not. */
  close(): void {
    this.closing.abort();
  }

  override _isSecure(): boolean {
    return true;
  }

  override _equals(other: ChannelCredentials): boolean {
    return this === other;
  }

  override _createSecureConnector(): experimental.SecureConnector {
    return {
      connect: async (socket) => {
        try {
          const secure = await connectSecurely(this.peer, { alpn: 'h2', socket, signal: this.closing.signal });
          this.failure = undefined;
          secure.once('close', this.lost).once('error', (error) => {
            this.failure = clientCertificateError(error);
          });
          // grpc-js takes nothing else of it than what http2.connect does.
          return { socket: new FilteredSocket(secure) as unknown as TLSSocket, secure: true };
        } catch (error) {
          if (error instanceof NodeClientError) this.failure = error;
          throw error;
        }
      },
      waitForReady: () => Promise.resolve(),
      getCallCredentials: () => CallCredentials.createEmpty(),
      destroy: () => undefined,
    };
  }
}
