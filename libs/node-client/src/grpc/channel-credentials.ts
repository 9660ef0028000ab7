import { CallCredentials, ChannelCredentials, type experimental } from '@grpc/grpc-js';
import { clientCertificateError } from '../connection/client-certificate-error.js';
import { connectSecurely, type Peer } from '../connection/secure-connection.js';
import { NodeClientError } from '../errors/node-client-error.js';

/**
 * Channel credentials that connect as the REST client does. The stock ones cannot pin: with `rejectUnauthorized: false`
 * node:tls never calls `checkServerIdentity` for a certificate whose chain it does not know.
 */
export class NodeCredentials extends ChannelCredentials {
  /** Why the last connection failed; undefined after a good one. */
  failure: NodeClientError | undefined;
  private readonly closing = new AbortController();

  /** `lost` is called whenever a connection that was made has ended. */
  constructor(
    private readonly peer: Peer,
    private readonly lost: () => void,
  ) {
    super();
  }

  /** Ends a connection that is still being made: closing a channel does not. */
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
          return { socket: secure, secure: true };
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
