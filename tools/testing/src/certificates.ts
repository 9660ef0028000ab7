import { webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import {
  BasicConstraintsExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';

export interface IssuedCertificate {
  /** The certificate in PEM. */
  readonly certificate: string;
  readonly key: string;
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const LONG_AGO = new Date('2020-01-01T00:00:00Z');
const FAR_AHEAD = new Date('2120-01-01T00:00:00Z');

const newKeys = () => webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);

/** An authority of its own, whose certificates engines trust that are started with it as `SSL_CERT_FILE`. */
export class TestAuthority {
  private constructor(
    private readonly certificate: X509Certificate,
    private readonly keys: Awaited<ReturnType<typeof newKeys>>,
  ) {}

  static async create(): Promise<TestAuthority> {
    const keys = await newKeys();
    const certificate = await X509CertificateGenerator.createSelfSigned({
      ...{ name: 'CN=test authority', notBefore: LONG_AGO, notAfter: FAR_AHEAD, signingAlgorithm: ALGORITHM, keys },
      extensions: [new BasicConstraintsExtension(true, 0, true)],
    });
    return new TestAuthority(certificate, keys);
  }

  /** Its own certificate in PEM. */
  get pem(): string {
    return this.certificate.toString('pem');
  }

  async issue(names: readonly string[], notAfter = FAR_AHEAD): Promise<IssuedCertificate> {
    const keys = await newKeys();
    const alternative = names.map((value) => ({ type: isIP(value) ? ('ip' as const) : ('dns' as const), value }));
    const certificate = await X509CertificateGenerator.create({
      ...{ subject: 'CN=leaf', issuer: this.certificate.subject, notBefore: LONG_AGO, notAfter },
      ...{ signingAlgorithm: ALGORITHM, publicKey: keys.publicKey, signingKey: this.keys.privateKey },
      extensions: [new SubjectAlternativeNameExtension(alternative)],
    });
    const pkcs8 = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
    return { certificate: certificate.toString('pem'), key: PemConverter.encode(pkcs8, 'PRIVATE KEY') };
  }
}
