import { constants, createPrivateKey, X509Certificate } from 'node:crypto';
import { isIP, type Socket } from 'node:net';
import tls, { type TLSSocket } from 'node:tls';
import type { ClientCertificate, NodeTrust } from '../api/node-client.js';
import { NodeClientError } from '../errors/node-client-error.js';
import { clientCertificateError } from './client-certificate-error.js';
import { fingerprintOf, parseFingerprint } from './fingerprint.js';
import { hasIdentity, nodeIdentityOf } from './identity.js';

const KEEP_ALIVE_MS = 30_000;
/** Maximum time for the TLS handshake: a peer may accept a connection and never answer. */
const HANDSHAKE_MS = 10_000;

/** Certificates of public authorities take 9 kB with those behind them, and that of an enrolled node one. */
const MAX_CERTIFICATE_BYTES = 12_288;
/** OpenSSL verifies 100 KiB of certificates before a program may look at them, which takes up to half a second. */
const LONG_PAUSE_MS = 300_000;

/**
 * Before a peer is verified it may choose what the handshake costs: finite-field groups cost up to a second of the thread,
 * and a renegotiation is a handshake more. Every implementation of TLS 1.2 has elliptic curves.
 */
const OFFERED: tls.SecureContextOptions = {
  minVersion: 'TLSv1.2',
  ciphers: `${tls.DEFAULT_CIPHERS}:!kDHE`,
  ecdhCurve: 'X25519:P-256:P-384',
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
};

/** The node to connect to. The object of a node is kept, since it remembers. */
export interface Peer {
  readonly host: string;
  /** The IP address of the host, if it is already known. */
  readonly address?: string | undefined;
  readonly port: number;
  readonly trust: NodeTrust;
  /** The node is not connected to for a while, because its certificates were too long. */
  isPaused?: boolean;
}

/** What is wrong with the trust settings; undefined when nothing is. */
export function trustProblem(trust: NodeTrust): string | undefined {
  if (trust === 'system') return undefined;
  if ('fingerprint256' in trust && !parseFingerprint(trust.fingerprint256)) {
    return 'tls.fingerprint256 must be 64 hexadecimal digits';
  }
  if ('ca' in trust && !parsed(() => new X509Certificate(trust.ca))) return 'tls.ca must be a certificate in PEM form';
  return trust.clientCertificate && certificateProblem(trust.clientCertificate);
}

function certificateProblem({ cert, key }: ClientCertificate): string | undefined {
  const certificate = parsed(() => new X509Certificate(cert));
  if (!certificate) return 'tls.clientCertificate.cert must be a certificate in PEM form';
  const privateKey = parsed(() => createPrivateKey(key));
  if (!privateKey) return 'tls.clientCertificate.key must be a private key in PEM form, not encrypted';
  return certificate.checkPrivateKey(privateKey)
    ? undefined
    : 'tls.clientCertificate.key belongs to another certificate';
}

function parsed<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch {
    return undefined;
  }
}

/**
 * Opens a TLS connection to the node, over a given TCP socket or a new one. The promise resolves only after the peer has
 * been verified, so that nothing, above all no API key, is sent to another peer.
 *
 * @throws NodeClientError `TLS_UNTRUSTED`, `UNREACHABLE`, `PROTOCOL` or `UNAUTHENTICATED`.
 */
export function connectSecurely(
  peer: Peer,
  { alpn, socket, signal }: { alpn: 'h2' | 'http/1.1'; socket?: Socket; signal: AbortSignal },
): Promise<TLSSocket> {
  const { host, address = host, port, trust } = peer;
  if (peer.isPaused) return Promise.reject(tooLong(peer));
  const pin = trust !== 'system' && 'fingerprint256' in trust ? parseFingerprint(trust.fingerprint256) : undefined;
  return new Promise((resolve, reject) => {
    const secure = tls.connect({
      ...(socket ? { socket, host } : { host: address, port }),
      ...(isIP(host) ? {} : { servername: host }),
      ...(trust !== 'system' && 'ca' in trust ? authorityOptions(trust) : {}),
      ...(trust === 'system' ? {} : trust.clientCertificate),
      ...OFFERED,
      ALPNProtocols: [alpn],
      // A pinned fingerprint replaces all checks of node:tls; it is compared below before the socket is returned.
      rejectUnauthorized: pin === undefined,
    });
    const abort = (): void => void secure.destroy(unreachable(peer, 'cancelled'));
    const timer = setTimeout(() => secure.destroy(unreachable(peer, 'no TLS handshake in time')), HANDSHAKE_MS);
    const fail = (error: Error): void => {
      settle();
      reject(explain(peer, secure, error));
    };
    const closed = (): void => fail(new Error('the connection was closed during the TLS handshake'));
    const settle = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      secure.removeListener('close', closed);
    };
    secure.on('error', fail).once('close', closed);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    secure.once('secureConnect', () => {
      const presented = secure.getPeerX509Certificate();
      if (bytesOf(presented) > MAX_CERTIFICATE_BYTES) {
        peer.isPaused = true;
        setTimeout(() => {
          peer.isPaused = false;
        }, LONG_PAUSE_MS).unref();
        secure.destroy(tooLong(peer));
        return;
      }
      const actual = presented && fingerprintOf(presented.raw);
      if (pin !== undefined && actual !== pin) {
        secure.destroy(untrusted(peer, `its certificate has the SHA-256 ${actual ?? '(none)'}, expected ${pin}`));
        return;
      }
      // Every gRPC server must negotiate h2: this detects other servers as early as possible.
      if (alpn === 'h2' && secure.alpnProtocol !== 'h2') {
        secure.destroy(new NodeClientError('PROTOCOL', `${addressOf(peer)} does not speak HTTP/2`));
        return;
      }
      settle();
      secure.setKeepAlive(true, KEEP_ALIVE_MS);
      secure.setNoDelay(true);
      resolve(secure);
      // This handler stays until the new owner of the socket has installed its own, so that no error is unhandled.
      setImmediate(() => secure.removeListener('error', fail));
    });
  });
}

/** The length of a certificate and all that came behind it. */
function bytesOf(certificate: X509Certificate | undefined): number {
  let bytes = 0;
  for (let one = certificate; one !== undefined; one = one.issuerCertificate) bytes += one.raw.length;
  return bytes;
}

function authorityOptions({ ca, identity }: { ca: string; identity?: string }): tls.ConnectionOptions {
  if (identity === undefined) return { ca };
  return { ca, checkServerIdentity: (_host, { raw }) => identityProblem(new X509Certificate(raw), identity) };
}

function identityProblem(certificate: X509Certificate, identity: string): Error | undefined {
  if (hasIdentity(certificate, identity)) return undefined;
  return new Error(`its certificate is that of ${nodeIdentityOf(certificate) ?? 'no node'}, expected ${identity}`);
}

function explain(peer: Peer, secure: TLSSocket, error: Error & { code?: string }): NodeClientError {
  if (error instanceof NodeClientError) return error;
  // node:tls sets this before it destroys the socket, for errors of the chain and of the names.
  if (secure.authorizationError) return untrusted(peer, error.message, error);
  const refusal = clientCertificateError(error);
  if (refusal) return refusal;
  if (error.code === 'EPROTO' || error.code?.startsWith('ERR_SSL_')) {
    return new NodeClientError('PROTOCOL', `${addressOf(peer)} does not speak our TLS: ${error.message}`, {
      cause: error,
    });
  }
  return unreachable(peer, error.message || (error.code ?? 'no connection'), error);
}

/** The address as `host:port`, with IPv6 in brackets. */
export const addressOf = ({ host, port }: Pick<Peer, 'host' | 'port'>): string =>
  `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;

const untrusted = (peer: Peer, why: string, cause?: unknown): NodeClientError =>
  new NodeClientError('TLS_UNTRUSTED', `${addressOf(peer)} is not the node that we know: ${why}`, { cause });

const tooLong = (peer: Peer): NodeClientError =>
  untrusted(
    peer,
    `its certificates are longer than ${MAX_CERTIFICATE_BYTES} bytes, and it is connected to again in ${LONG_PAUSE_MS / 60_000} minutes`,
  );

const unreachable = (peer: Peer, why: string, cause?: unknown): NodeClientError =>
  new NodeClientError('UNREACHABLE', `cannot reach ${addressOf(peer)}: ${why}`, { cause });
