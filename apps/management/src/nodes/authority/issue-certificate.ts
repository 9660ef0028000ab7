import { randomBytes, webcrypto, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type JsonGeneralName,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
  X509Certificate as X509Data,
} from '@peculiar/x509';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/** A certificate and its private key in PEM. */
export interface CertifiedKey {
  certificate: string;
  key: string;
}

/** The period in which a certificate is valid. */
export interface Validity {
  notBefore: Date;
  notAfter: Date;
}

export interface LeafRequest extends Validity {
  /** The URI by which the other side knows the owner. */
  identity: string;
  /** An IP address or a domain name. */
  host?: string;
  usage: 'serverAuth' | 'clientAuth';
  publicKey: webcrypto.CryptoKey;
}

export const newKeyPair = (): Promise<webcrypto.CryptoKeyPair> =>
  webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);

export const importPublicKey = (spki: ArrayBuffer): Promise<webcrypto.CryptoKey> =>
  webcrypto.subtle.importKey('spki', spki, ALGORITHM, true, ['verify']);

/** The private key in PEM, as PKCS #8. */
export async function privateKeyPem({ privateKey }: webcrypto.CryptoKeyPair): Promise<string> {
  return PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', privateKey), 'PRIVATE KEY');
}

/** Makes an authority that issues leaf certificates alone. */
export async function createAuthority(name: string, validity: Validity): Promise<CertifiedKey> {
  const keys = await newKeyPair();
  const certificate = await X509CertificateGenerator.createSelfSigned({
    ...validity,
    serialNumber: newSerialNumber(),
    name: `CN=${name}`,
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: pemOf(certificate), key: await privateKeyPem(keys) };
}

/** Signs certificates with the key of one authority. */
export class CertificateIssuer {
  private constructor(
    /** The certificate of the authority in PEM. */
    readonly certificate: string,
    private readonly authority: X509Data,
    private readonly signingKey: webcrypto.CryptoKey,
  ) {}

  static async open({ certificate, key }: CertifiedKey): Promise<CertificateIssuer> {
    const signingKey = await webcrypto.subtle.importKey('pkcs8', PemConverter.decodeFirst(key), ALGORITHM, false, [
      'sign',
    ]);
    return new CertificateIssuer(certificate, new X509Data(certificate), signingKey);
  }

  async issue({ identity, host, usage, publicKey, ...validity }: LeafRequest): Promise<X509Certificate> {
    const names: JsonGeneralName[] = [{ type: 'url', value: identity }];
    if (host !== undefined) names.push({ type: isIP(host) ? 'ip' : 'dns', value: host });
    const certificate = await X509CertificateGenerator.create({
      ...validity,
      serialNumber: newSerialNumber(),
      subject: `CN=${identity}`,
      issuer: this.authority.subject,
      signingAlgorithm: ALGORITHM,
      publicKey,
      signingKey: this.signingKey,
      extensions: [
        new BasicConstraintsExtension(false, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        new ExtendedKeyUsageExtension([ExtendedKeyUsage[usage]]),
        new SubjectAlternativeNameExtension(names),
        await SubjectKeyIdentifierExtension.create(publicKey),
        await AuthorityKeyIdentifierExtension.create(this.authority.publicKey),
      ],
    });
    return new X509Certificate(Buffer.from(certificate.rawData));
  }
}

/** A positive number of 16 bytes: its first byte stays below 0x80. */
const newSerialNumber = (): string => `01${randomBytes(15).toString('hex')}`;
const pemOf = (certificate: X509Data): string => new X509Certificate(Buffer.from(certificate.rawData)).toString();
