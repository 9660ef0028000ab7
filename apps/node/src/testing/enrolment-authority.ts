import { randomUUID, webcrypto } from 'node:crypto';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  PemConverter,
  Pkcs10CertificateRequest,
  SubjectAlternativeNameExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { type ClientCertificate, type Enrolment, MANAGEMENT_IDENTITY, nodeIdentity } from '@rampart/node-client';
import { API_KEY } from './nodes/running-node.js';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY_MS = 86_400_000;

interface Leaf {
  identity: string;
  usage: 'serverAuth' | 'clientAuth';
  publicKey: webcrypto.CryptoKey;
  /** Days from now. */
  begin?: number;
  end?: number;
}

const newKeys = () => webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
const pemOf = async (key: webcrypto.CryptoKey) =>
  `${PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY')}\n`;

/** Enrols nodes and renews their certificates, as management does. */
export class EnrolmentAuthority {
  private constructor(
    private readonly own: X509Certificate,
    private readonly signingKey: webcrypto.CryptoKey,
  ) {}

  static async create(): Promise<EnrolmentAuthority> {
    const keys = await newKeys();
    const own = await X509CertificateGenerator.createSelfSigned({
      name: 'CN=authority of the tests',
      notBefore: new Date(Date.now() - 1_000 * DAY_MS),
      notAfter: new Date(Date.now() + 1_000 * DAY_MS),
      keys,
      signingAlgorithm: ALGORITHM,
      extensions: [new BasicConstraintsExtension(true, 0, true)],
    });
    return new EnrolmentAuthority(own, keys.privateKey);
  }

  /** The certificate of the authority in PEM. */
  get ca(): string {
    return `${this.own.toString('pem')}\n`;
  }

  /** Enrols a node. Its certificate is valid from `begin` to `end`, in days from now. */
  async enrol({ port = 62_050, begin = -1, end = 300, apiKey = API_KEY } = {}): Promise<Enrolment> {
    const keys = await newKeys();
    const leaf = { usage: 'serverAuth', publicKey: keys.publicKey, begin, end } as const;
    const certificate = await this.issue({ ...leaf, identity: nodeIdentity(randomUUID()) });
    const key = await pemOf(keys.privateKey);
    return { port, apiKey, certificate: `${certificate.toString('pem')}\n`, key, authority: this.ca };
  }

  /** A certificate for the key of a request, in DER. */
  async renew(identity: string, csr: Uint8Array, { begin = -1, end = 365 } = {}): Promise<Buffer> {
    const { publicKey } = new Pkcs10CertificateRequest(Buffer.from(csr));
    const key = await publicKey.export();
    return Buffer.from((await this.issue({ identity, usage: 'serverAuth', publicKey: key, begin, end })).rawData);
  }

  /** The client certificate of management, or of another owner. */
  async client(identity = MANAGEMENT_IDENTITY, usage: Leaf['usage'] = 'clientAuth'): Promise<ClientCertificate> {
    const keys = await newKeys();
    const certificate = await this.issue({ identity, usage, publicKey: keys.publicKey });
    return { cert: certificate.toString('pem'), key: await pemOf(keys.privateKey) };
  }

  private issue({ identity, usage, publicKey, begin = -1, end = 300 }: Leaf): Promise<X509Certificate> {
    return X509CertificateGenerator.create({
      subject: `CN=${identity}`,
      issuer: this.own.subject,
      notBefore: new Date(Date.now() + begin * DAY_MS),
      notAfter: new Date(Date.now() + end * DAY_MS),
      publicKey,
      signingKey: this.signingKey,
      signingAlgorithm: ALGORITHM,
      extensions: [
        new ExtendedKeyUsageExtension([ExtendedKeyUsage[usage]]),
        new SubjectAlternativeNameExtension([
          { type: 'url', value: identity },
          { type: 'ip', value: '127.0.0.1' },
        ]),
      ],
    });
  }
}
