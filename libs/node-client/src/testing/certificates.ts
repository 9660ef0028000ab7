import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import {
  BasicConstraintsExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';

export interface Issued {
  readonly cert: string;
  readonly key: string;
}

interface Request {
  /** Addresses, host names and URNs. */
  readonly names: readonly string[];
  readonly notAfter?: Date;
  readonly algorithm?: typeof ALGORITHM | typeof RSA;
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
export const RSA = {
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  modulusLength: 2048,
  publicExponent: Uint8Array.of(1, 0, 1),
};
const LONG_AGO = new Date('2020-01-01T00:00:00Z');
const FAR_AHEAD = new Date('2120-01-01T00:00:00Z');

const newKeys = (algorithm: NonNullable<Request['algorithm']> = ALGORITHM) =>
  webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
type Keys = Awaited<ReturnType<typeof newKeys>>;

const alternativeNames = (names: readonly string[]) =>
  new SubjectAlternativeNameExtension(names.map((value) => ({ type: typeOf(value), value })));

function typeOf(name: string): 'ip' | 'url' | 'dns' {
  if (isIP(name)) return 'ip';
  return name.startsWith('urn:') ? 'url' : 'dns';
}

async function pem(certificate: X509Certificate, keys: Keys): Promise<Issued> {
  const pkcs8 = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return { cert: certificate.toString('pem'), key: PemConverter.encode(pkcs8, 'PRIVATE KEY') };
}

export async function selfSigned({ names, notAfter = FAR_AHEAD, algorithm = ALGORITHM }: Request): Promise<Issued> {
  const keys = await newKeys(algorithm);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=test',
    notBefore: LONG_AGO,
    notAfter,
    signingAlgorithm: algorithm,
    keys,
    extensions: [alternativeNames(names)],
  });
  return pem(certificate, keys);
}

let authorities = 0;

/** The certificate of a new authority, and a certificate that it has issued. */
export async function issuedByAuthority({ names }: Request): Promise<Issued & { readonly ca: string }> {
  const [authorityKeys, keys] = await Promise.all([newKeys(), newKeys()]);
  authorities += 1;
  const dates = { notBefore: LONG_AGO, notAfter: FAR_AHEAD, signingAlgorithm: ALGORITHM };
  const authority = await X509CertificateGenerator.createSelfSigned({
    ...dates,
    name: `CN=authority ${authorities}`,
    keys: authorityKeys,
    extensions: [new BasicConstraintsExtension(true, 0, true)],
  });
  const leaf = await X509CertificateGenerator.create({
    ...dates,
    subject: 'CN=leaf',
    issuer: authority.subject,
    publicKey: keys.publicKey,
    signingKey: authorityKeys.privateKey,
    extensions: [alternativeNames(names)],
  });
  return { ...(await pem(leaf, keys)), ca: authority.toString('pem') };
}
