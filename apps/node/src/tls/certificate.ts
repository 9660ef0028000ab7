import { X509Certificate } from 'node:crypto';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { type Certificate, CertificateError, messageOf, readCertificate, readPem } from '@rampart/program';
import type { NodeEnv } from '../env/node-env.js';
import { EnrolledCertificate } from './enrolled-certificate.js';
import { createSelfSigned } from './self-signed.js';

export interface NodeCertificate extends Certificate {
  /** Whether the certificate was just created, so that the operator has not seen it yet. */
  readonly fresh: boolean;
  /** The certificate of an enrolled node, which management renews; undefined = the node has a certificate of its own. */
  readonly enrolled?: EnrolledCertificate;
}

/**
 * Loads the port's certificate and client CA, those of the enrolment if there is one. Creates a self-signed certificate
 * when none is configured or present.
 */
export async function loadCertificate(env: NodeEnv): Promise<NodeCertificate> {
  if (env.enrolment) {
    const enrolled = await EnrolledCertificate.open(env.enrolment, env.dataDir);
    return { ...enrolled.current, enrolled, fresh: false };
  }
  const fresh = env.tlsCert === undefined && (await makeSelfSigned(env));
  return { ...(await readCertificates(env)), fresh };
}

/** Reads the certificate and client CA from the existing files, or from the enrolment. */
export async function readCertificates(env: NodeEnv): Promise<Certificate> {
  if (env.enrolment) return (await EnrolledCertificate.open(env.enrolment, env.dataDir)).current;
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

/** Whether there is a certificate to read: the self-signed one is only made by the first start. */
export async function hasCertificate(env: NodeEnv): Promise<boolean> {
  if (env.tlsCert !== undefined || env.enrolment) return true;
  return access(join(selfSignedFolder(env), 'certificate.pem')).then(
    () => true,
    () => false,
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
