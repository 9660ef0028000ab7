import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fingerprintOf } from '@rampart/node-client';
import { OperatorError } from '@rampart/program';
import type { NodeEnv } from '../env/node-env.js';
import { createSelfSigned } from './self-signed.js';

export interface Certificate {
  readonly cert: string;
  readonly key: string;
  /** Who must have issued the certificates of callers; undefined = they need none. */
  readonly clientCa?: string;
  /** SHA-256 of the certificate, for management to pin. */
  readonly fingerprint256: string;
  /** Made just now, so the operator has not seen it yet. */
  readonly fresh: boolean;
}

/** What an operator can mend; the text names the setting. */
export class CertificateError extends OperatorError {
  override readonly name = 'CertificateError';
}

/** What the port shows to callers, and what it asks of them. */
export async function loadCertificate(env: NodeEnv): Promise<Certificate> {
  const certificate = await ownCertificate(env);
  return env.tlsClientCa === undefined ? certificate : { ...certificate, clientCa: await clientCa(env.tlsClientCa) };
}

/** The operator's certificate, else the self-signed one of the data directory, which is made when it is not there. */
async function ownCertificate(env: NodeEnv): Promise<Certificate> {
  if (env.tlsCert !== undefined && env.tlsKey !== undefined) {
    return check(
      await read('RAMPART_NODE_TLS_CERT', env.tlsCert),
      await read('RAMPART_NODE_TLS_KEY', env.tlsKey),
      'RAMPART_NODE_TLS_CERT and RAMPART_NODE_TLS_KEY',
    );
  }
  const folder = join(env.dataDir, 'tls');
  const fresh = await createSelfSigned(folder, env.names).catch((cause) => {
    throw new CertificateError(`cannot write to RAMPART_NODE_DATA_DIR: ${cause.message}`, { cause });
  });
  const [certFile, keyFile] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
  const [cert, key] = await Promise.all([
    read('RAMPART_NODE_DATA_DIR', certFile),
    read('RAMPART_NODE_DATA_DIR', keyFile),
  ]);
  return { ...check(cert, key, folder), fresh };
}

async function clientCa(file: string): Promise<string> {
  const pem = await read('RAMPART_NODE_TLS_CLIENT_CA', file);
  try {
    new X509Certificate(pem);
  } catch (cause) {
    throw new CertificateError(`RAMPART_NODE_TLS_CLIENT_CA: ${file} must hold a certificate in PEM form`, { cause });
  }
  return pem;
}

const read = (setting: string, file: string): Promise<string> =>
  readFile(file, 'utf8').catch((cause: Error) => {
    throw new CertificateError(`${setting}: ${cause.message}`, { cause });
  });

function check(cert: string, key: string, origin: string): Certificate {
  if (!isPair(cert, key, origin)) throw new CertificateError(`${origin}: this private key is not the certificate's`);
  return { cert, key, fingerprint256: fingerprintOf(cert), fresh: false };
}

function isPair(cert: string, key: string, origin: string): boolean {
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
  } catch (cause) {
    throw new CertificateError(`${origin}: must be a certificate and its private key in PEM form`, { cause });
  }
}
