import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isIP, type Socket } from 'node:net';
import tls, { type TLSSocket } from 'node:tls';
import type { ClientCertificate, NodeTrust } from '../api/node-client.js';
import { NodeClientError } from '../errors/node-client-error.js';
import { clientCertificateError } from './client-certificate-error.js';
import { fingerprintOf, parseFingerprint } from './fingerprint.js';

const KEEP_ALIVE_MS = 30_000;
/** A peer that accepts and then stays silent must not hold a client for ever. */
const HANDSHAKE_MS = 10_000;

export interface Peer {
  readonly host: string;
  /** Where the host is, if that is known already. */
  readonly address?: string | undefined;
  readonly port: number;
  readonly trust: NodeTrust;
}

/** Why a trust cannot work, or undefined. */
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
 * A TLS connection to the node, over a given TCP socket or a new one. It resolves only after the peer was recognised, so
 * nothing of ours (no key above all) is written to anyone else.
 */
export function connectSecurely(
  peer: Peer,
  { alpn, socket, signal }: { alpn: 'h2' | 'http/1.1'; socket?: Socket; signal: AbortSignal },
): Promise<TLSSocket> {
  const { host, address = host, port, trust } = peer;
  const pin = trust !== 'system' && 'fingerprint256' in trust ? parseFingerprint(trust.fingerprint256) : undefined;
  return new Promise((resolve, reject) => {
    const secure = tls.connect({
      ...(socket ? { socket, host } : { host: address, port }),
      ...(isIP(host) ? {} : { servername: host }),
      ...(trust !== 'system' && 'ca' in trust ? { ca: trust.ca } : {}),
      ...(trust === 'system' ? {} : trust.clientCertificate),
      ALPNProtocols: [alpn],
      minVersion: 'TLSv1.2',
      // A pin stands for all that node:tls checks, and is compared below before the socket is handed out.
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
      const actual = presented && fingerprintOf(presented.raw);
      if (pin !== undefined && actual !== pin) {
        secure.destroy(untrusted(peer, `its certificate has the SHA-256 ${actual ?? '(none)'}, expected ${pin}`));
        return;
      }
      // Asked of every gRPC peer, and the earliest sign of one that is none.
      if (alpn === 'h2' && secure.alpnProtocol !== 'h2') {
        secure.destroy(new NodeClientError('PROTOCOL', `${addressOf(peer)} does not speak HTTP/2`));
        return;
      }
      settle();
      secure.setKeepAlive(true, KEEP_ALIVE_MS);
      secure.setNoDelay(true);
      resolve(secure);
      // The new owner listens from now on; until it does, nobody may miss an error.
      setImmediate(() => secure.removeListener('error', fail));
    });
  });
}

function explain(peer: Peer, secure: TLSSocket, error: Error & { code?: string }): NodeClientError {
  if (error instanceof NodeClientError) return error;
  // node:tls sets it before it destroys the socket, for the chain and for the names.
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

/** `host:port`, with brackets where they belong. */
export const addressOf = ({ host, port }: Pick<Peer, 'host' | 'port'>): string =>
  `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;

const untrusted = (peer: Peer, why: string, cause?: unknown): NodeClientError =>
  new NodeClientError('TLS_UNTRUSTED', `${addressOf(peer)} is not the node that we know: ${why}`, { cause });

const unreachable = (peer: Peer, why: string, cause?: unknown): NodeClientError =>
  new NodeClientError('UNREACHABLE', `cannot reach ${addressOf(peer)}: ${why}`, { cause });
