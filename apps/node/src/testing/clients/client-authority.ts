import { webcrypto } from 'node:crypto';
import { BasicConstraintsExtension, PemConverter, X509CertificateGenerator } from '@peculiar/x509';

export interface Authority {
  /** Certificate of the authority, in PEM form. */
  readonly ca: string;
  /** Issues a client certificate. */
  issue(name: string): Promise<{ cert: string; key: string }>;
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

export async function createAuthority(): Promise<Authority> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const own = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=authority',
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [new BasicConstraintsExtension(true, undefined, true)],
  });
  return {
    ca: own.toString('pem'),
    issue: async (name) => {
      const { publicKey, privateKey } = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
      const certificate = await X509CertificateGenerator.create({
        subject: `CN=${name}`,
        issuer: own.subject,
        publicKey,
        signingKey: keys.privateKey,
        signingAlgorithm: ALGORITHM,
      });
      const pkcs8 = await webcrypto.subtle.exportKey('pkcs8', privateKey);
      return { cert: certificate.toString('pem'), key: PemConverter.encode(pkcs8, 'PRIVATE KEY') };
    },
  };
}
