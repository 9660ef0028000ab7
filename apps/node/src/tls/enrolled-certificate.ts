import { createPrivateKey, type KeyObject, webcrypto, X509Certificate } from 'node:crypto';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Enrolment, MANAGEMENT_IDENTITY, nodeIdentityOf } from '@rampart/node-client';
import { type Certificate, CertificateError, messageOf } from '@rampart/program';
import { NodeError } from '../errors/node-error.js';
import { errorCodeOf } from '../storage/disk-problem.js';
import { syncDirectoryOf } from '../storage/state-file.js';
import { KEY_ALGORITHM } from './self-signed.js';

/** What to do about an enrolment that cannot be used. */
const ADVICE = 'have management issue another enrolment for this node (rampart node enrol), and set it here';

/** A certificate and its private key in PEM form. */
type Pair = Pick<Enrolment, 'certificate' | 'key'>;

/**
 * The certificate of an enrolled node: that of the enrolment, or the last one that management has issued since. A renewed
 * certificate is one file with its key, `enrolment/renewed.pem` of the data directory; another enrolment takes its place.
 */
export class EnrolledCertificate {
  /** The private key of the last request. */
  private requested: KeyObject | undefined;
  private apply: (certificate: Certificate) => void = () => undefined;

  private constructor(
    private readonly enrolment: Enrolment,
    private readonly file: string,
    private pair: Pair,
  ) {}

  /** @throws CertificateError for a certificate that has ended, or that begins later than the clock of this machine */
  static async open(enrolment: Enrolment, dataDir: string, now = Date.now()): Promise<EnrolledCertificate> {
    const file = join(dataDir, 'enrolment', 'renewed.pem');
    const renewed = await readRenewed(file, enrolment);
    const pair = renewed && endOf(renewed) >= endOf(enrolment) ? renewed : enrolment;
    checkDates(new X509Certificate(pair.certificate), now);
    return new EnrolledCertificate(enrolment, file, pair);
  }

  /** What the port shows, and whom it admits. */
  get current(): Certificate {
    const { certificate: cert, key } = this.pair;
    const { fingerprint256 } = new X509Certificate(cert);
    return { cert, key, clientCa: this.enrolment.authority, clientIdentity: MANAGEMENT_IDENTITY, fingerprint256 };
  }

  /** Unix time in seconds at which the certificate ends. */
  get expiresAt(): number {
    return endOf(this.pair) / 1000;
  }

  /** The URI by which management knows this node. */
  get identity(): string {
    return identityOf(this.enrolment) ?? '';
  }

  /** Sets what is done with a renewed certificate. */
  onRenewal(apply: (certificate: Certificate) => void): void {
    this.apply = apply;
  }

  /** Makes a new private key and returns the request for its certificate, PKCS #10 in DER. An earlier request is dropped. */
  async createRequest(): Promise<Buffer> {
    // Loaded only here, since it takes 3 MB.
    const { Pkcs10CertificateRequestGenerator } = await import('@peculiar/x509');
    const keys = await webcrypto.subtle.generateKey(KEY_ALGORITHM, true, ['sign', 'verify']);
    const request = await Pkcs10CertificateRequestGenerator.create({ keys, signingAlgorithm: KEY_ALGORITHM });
    const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
    this.requested = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
    return Buffer.from(request.rawData);
  }

  /** Stores the certificate for the last request, and shows it from now on. @throws NodeError, and then nothing changes */
  async install(der: Uint8Array, now = Date.now()): Promise<void> {
    const { requested, enrolment } = this;
    if (!requested) throw refused('no certificate was requested since this node started');
    const certificate = readCertificate(der);
    if (!certificate.checkPrivateKey(requested))
      throw refused('the certificate is not for the key of the last request');
    const pair = { certificate: certificate.toString(), key: pemOf(requested) };
    if (!belongsTo(pair, enrolment)) throw refused('the certificate is not of this enrolment');
    if (!isValid(certificate, now))
      throw refused("the certificate is not valid now, by the clock of the node's machine");
    await store(this.file, `${pair.certificate}${pair.key}`);
    this.pair = pair;
    this.requested = undefined;
    this.apply(this.current);
  }
}

/** The stored pair, where it is one of this enrolment. */
async function readRenewed(file: string, enrolment: Enrolment): Promise<Pair | undefined> {
  try {
    const text = await readFile(file, 'utf8');
    const certificate = new X509Certificate(text);
    const key = createPrivateKey(text);
    const pair = { certificate: certificate.toString(), key: pemOf(key) };
    return certificate.checkPrivateKey(key) && belongsTo(pair, enrolment) ? pair : undefined;
  } catch (error) {
    if (errorCodeOf(error) === 'EACCES') throw new CertificateError(`RAMPART_NODE_DATA_DIR: ${messageOf(error)}`);
    // A missing or damaged file leaves the certificate of the enrolment, and management renews that again.
    return undefined;
  }
}

/** Whether the authority of the enrolment has issued the certificate for the node of the enrolment. */
function belongsTo({ certificate }: Pair, enrolment: Enrolment): boolean {
  const [own, authority] = [new X509Certificate(certificate), new X509Certificate(enrolment.authority)];
  const issued = own.checkIssued(authority) && own.verify(authority.publicKey);
  return issued && nodeIdentityOf(own) === identityOf(enrolment);
}

function checkDates(certificate: X509Certificate, now: number): void {
  const [begin, end] = [new Date(certificate.validFrom), new Date(certificate.validTo)];
  if (end.getTime() < now) {
    throw new CertificateError(
      `RAMPART_ENROLMENT: its certificate ended on ${end.toISOString()}, and there is no renewed one: ${ADVICE}`,
    );
  }
  if (begin.getTime() > now) {
    throw new CertificateError(
      `RAMPART_ENROLMENT: its certificate begins on ${begin.toISOString()}, but the clock of this machine shows ` +
        `${new Date(now).toISOString()}: set the clock`,
    );
  }
}

/** Replaces the file as a whole: a crash leaves the old one or the new one. */
async function store(file: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const draft = `${file}.draft`;
    const handle = await open(draft, 'w', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
    await syncDirectoryOf(file);
  } catch (cause) {
    throw new NodeError('STORAGE_FAILED', `the node cannot store its certificate: ${messageOf(cause)}`, { cause });
  }
}

function readCertificate(der: Uint8Array): X509Certificate {
  try {
    return new X509Certificate(der);
  } catch (cause) {
    throw new NodeError('INVALID_ARGUMENT', 'certificate must be a certificate in DER', { cause });
  }
}

const isValid = ({ validFrom, validTo }: X509Certificate, now: number): boolean =>
  Date.parse(validFrom) <= now && now < Date.parse(validTo);
const endOf = ({ certificate }: Pair): number => Date.parse(new X509Certificate(certificate).validTo);
const identityOf = ({ certificate }: Pair): string | undefined => nodeIdentityOf(new X509Certificate(certificate));
const pemOf = (key: KeyObject): string => key.export({ format: 'pem', type: 'pkcs8' }).toString();
const refused = (problem: string): NodeError => new NodeError('INVALID_ARGUMENT', problem);
