import { NodeClientError } from '../errors/node-client-error.js';

/**
 * The error `UNAUTHENTICATED` for a connection that the node has closed because of our client certificate; undefined for any
 * other error. With TLS 1.3 it occurs after the handshake.
 */
export function clientCertificateError(error: unknown): NodeClientError | undefined {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  if (!/_ALERT_(.*CERTIFICATE|UNKNOWN_CA)/.test(code)) return undefined;
  const message = 'the node refuses our client certificate, or the lack of one';
  return new NodeClientError('UNAUTHENTICATED', message, { cause: error });
}
