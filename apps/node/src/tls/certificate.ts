import { X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { type Certificate, CertificateError, messageOf, readCertificate, readPem } from '@rampart/program';
import type { NodeEnv } from '../env/node-env.js';
import { createSelfSigned } from './self-signed.js';

export interface NodeCertificate extends Certificate {
  /** Whether the certificate was just created, so that the operator has not seen it yet. */
  readonly fresh: boolean;
}

/** Loads the port's certificate and client CA. Creates a self-signed certificate when none is configured or present. */
export async function loadCertificate(env: NodeEnv): Promise<NodeCertificate> {
  const fresh = env.tlsCert === undefined && (await makeSelfSigned(env));
  return { ...(await readCertificates(env)), fresh };
}

/** Reads the certificate and client CA from the existing files. */
export async function readCertificates(env: NodeEnv): Promise<Certificate> {
  const certificate = await ownCertificate(env);
  return env.tlsClientCa === undefined ? certificate : { ...certificate, clientCa: await clientCa(env.tlsClientCa) };
}

/** The operator's certificate, or else the self-signed one of the data directory. */
function ownCertificate(env: NodeEnv): Promise<Certificate> {
  if (env.tlsCert !== undefined && env.tlsKey !== undefined) {
    return readCertificate(
      { setting: 'RAMPART_NODE_TLS_CERT', file: env.tlsCert },
      { setting: 'RAMPART_NODE_TLS_KEY', file: env.tlsKey },
    );
  }
  const folder = selfSignedFolder(env);
  const setting = 'RAMPART_NODE_DATA_DIR';
  return readCertificate(
    { setting, file: join(folder, 'certificate.pem') },
    { setting, file: join(folder, 'key.pem') },
    folder,
  );
}

const selfSignedFolder = ({ dataDir }: NodeEnv): string => join(dataDir, 'tls');

const makeSelfSigned = (env: NodeEnv): Promise<boolean> =>
  createSelfSigned(selfSignedFolder(env), env.names).catch((cause: unknown) => {
    throw new CertificateError(`cannot write to RAMPART_NODE_DATA_DIR: ${messageOf(cause)}`, { cause });
  });

async function clientCa(file: string): Promise<string> {
  const setting = 'RAMPART_NODE_TLS_CLIENT_CA';
  const pem = await readPem({ setting, file });
  try {
    new X509Certificate(pem);
  } catch (cause) {
    throw new CertificateError(`${setting}: ${file} must hold a certificate in PEM form`, { cause });
  }
  return pem;
}
