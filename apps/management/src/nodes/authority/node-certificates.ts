import { randomUUID, type X509Certificate } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { Pkcs10CertificateRequest } from '@peculiar/x509';
import { type ClientCertificate, MANAGEMENT_IDENTITY, type NodeTrust, nodeIdentity } from '@rampart/node-client';
import { DataSource, type EntityManager } from 'typeorm';
import { ManagementError } from '../../errors/management-error.js';
import { AtRestCipher } from '../../keys/at-rest-cipher.js';
import { Keys } from '../../keys/keys.js';
import { storedKeyId } from '../../known-keys/key-ids.js';
import { KnownKeyRepository } from '../../known-keys/known-key.repository.js';
import type { Node } from '../store/node.entity.js';
import type { NodeAuthority } from '../store/node-authority.entity.js';
import { NodeProblem } from '../store/node-problem.js';
import { AuthorityRepository } from './authority.repository.js';
import { AuthorityTiming } from './authority-timing.js';
import {
  CertificateIssuer,
  createAuthority,
  importPublicKey,
  newKeyPair,
  privateKeyPem,
  type Validity,
} from './issue-certificate.js';

type EnrolledNode = Pick<Node, 'authorityId' | 'identity' | 'address'>;

/** What a new enrolment consists of, besides the API key. Certificates and key are in PEM. */
export interface NewIdentity {
  authorityId: number;
  authority: string;
  identity: string;
  certificate: string;
  key: string;
  expiresAt: Date;
}

interface OpenAuthority {
  id: number;
  issuer: CertificateIssuer;
}

/**
 * The certificates of enrolled nodes and of this management, both issued by its own authority. That is made at first use
 * and shared by all replicas; the certificate of management is made anew by each process, and its key never stored.
 */
@Injectable()
export class NodeCertificates {
  private readonly logger = new Logger('Nodes');
  private readonly issuers = new Map<number, CertificateIssuer>();
  private readonly own = new Map<number, { certificate: Promise<ClientCertificate>; endsAt: number }>();

  constructor(
    private readonly database: DataSource,
    private readonly authorities: AuthorityRepository,
    private readonly cipher: AtRestCipher,
    private readonly keys: Keys,
    private readonly timing: AuthorityTiming,
  ) {}

  /** A certificate with a new identity and its private key, which is not stored here. */
  async issueIdentity(manager: EntityManager, host: string): Promise<NewIdentity> {
    const { id: authorityId, issuer } = await this.presentAuthority(manager);
    const identity = nodeIdentity(randomUUID());
    const keys = await newKeyPair();
    const request = { ...this.validity(), identity, host, usage: 'serverAuth', publicKey: keys.publicKey } as const;
    const certificate = await issuer.issue(request);
    return {
      authorityId,
      authority: issuer.certificate,
      identity,
      certificate: certificate.toString(),
      key: await privateKeyPem(keys),
      expiresAt: new Date(certificate.validTo),
    };
  }

  /** Whether a certificate has less than a third of its time left. */
  isRenewalDue(endsAt: Date): boolean {
    return endsAt.getTime() - Date.now() < this.timing.leafMs / 3;
  }

  /**
   * The next certificate of an enrolled node, for the key of its request; undefined for a node that is not enrolled.
   *
   * @param csr a request in DER, of which only the key counts
   */
  async renew({ authorityId, identity, address }: EnrolledNode, csr: Uint8Array): Promise<X509Certificate | undefined> {
    if (!authorityId || !identity) return undefined;
    const issuer = await this.issuerOf(authorityId);
    const publicKey = await requestedKey(csr);
    return issuer.issue({ ...this.validity(), identity, host: address, usage: 'serverAuth', publicKey });
  }

  /** How an enrolled node is known, and by what it knows management; undefined for a node with a certificate of its own. */
  async trustOfEnrolled({ authorityId, identity }: EnrolledNode): Promise<NodeTrust | undefined> {
    if (!authorityId || !identity) return undefined;
    const issuer = await this.issuerOf(authorityId);
    const clientCertificate = await this.ownCertificate(authorityId, issuer);
    return { ca: issuer.certificate, identity, clientCertificate };
  }

  private ownCertificate(authorityId: number, issuer: CertificateIssuer): Promise<ClientCertificate> {
    const present = this.own.get(authorityId);
    if (present && !this.isRenewalDue(new Date(present.endsAt))) return present.certificate;
    const validity = this.validity();
    const certificate = issueOwn(issuer, validity);
    this.own.set(authorityId, { certificate, endsAt: validity.notAfter.getTime() });
    return certificate;
  }

  /** The newest authority. The first one is made here, and another one after the at-rest key was lost. */
  private async presentAuthority(manager: EntityManager): Promise<OpenAuthority> {
    const newest = await this.authorities.findNewestAuthority(manager);
    const present = newest && (await this.openUnlessLost(manager, newest));
    if (present) return present;
    await this.authorities.lock(manager);
    const made = await this.authorities.findNewestAuthority(manager);
    if (made && made.id !== newest?.id) return { id: made.id, issuer: await this.open(made) };
    return this.create(manager);
  }

  private async openUnlessLost(manager: EntityManager, authority: NodeAuthority): Promise<OpenAuthority | undefined> {
    try {
      return { id: authority.id, issuer: await this.open(authority) };
    } catch {
      const { atRest } = await new KnownKeyRepository(manager).findKnownKeys();
      if (atRest.newest !== storedKeyId('atRest', this.keys.atRest)) throw new ManagementError('NODE_AUTHORITY_CLOSED');
      this.logger.warn('The key of the node authority was lost with its at-rest key: a new authority is made');
      return undefined;
    }
  }

  private async create(manager: EntityManager): Promise<OpenAuthority> {
    const id = await this.authorities.nextAuthorityId(manager);
    const { certificate, key } = await createAuthority('Rampart authority', this.validity(this.timing.authorityMs));
    const keyEncrypted = this.cipher.seal(key, this.authorities.contextOf(id));
    await this.authorities.insertAuthority(manager, { id, certificate, keyEncrypted });
    return { id, issuer: await CertificateIssuer.open({ certificate, key }) };
  }

  private async issuerOf(id: number): Promise<CertificateIssuer> {
    const known = this.issuers.get(id);
    if (known) return known;
    const authority = await this.authorities.findAuthority(this.database.manager, id);
    try {
      return await this.open(authority);
    } catch (cause) {
      const problem = 'the key of its authority does not open with the at-rest key of this management';
      throw new NodeProblem(`${problem}: issue it another enrolment`, { cause });
    }
  }

  private async open({ id, certificate, keyEncrypted }: NodeAuthority): Promise<CertificateIssuer> {
    const key = this.cipher.open(keyEncrypted, this.authorities.contextOf(id));
    const issuer = await CertificateIssuer.open({ certificate, key });
    this.issuers.set(id, issuer);
    return issuer;
  }

  private validity(lifetimeMs = this.timing.leafMs): Validity {
    // Certificates have no fractions of seconds.
    const now = Math.floor(Date.now() / 1_000) * 1_000;
    return { notBefore: new Date(now - this.timing.backdatedMs), notAfter: new Date(now + lifetimeMs) };
  }
}

async function issueOwn(issuer: CertificateIssuer, validity: Validity): Promise<ClientCertificate> {
  const keys = await newKeyPair();
  const { publicKey } = keys;
  const certificate = await issuer.issue({
    ...validity,
    identity: MANAGEMENT_IDENTITY,
    usage: 'clientAuth',
    publicKey,
  });
  return { cert: certificate.toString(), key: await privateKeyPem(keys) };
}

/** The public key of a certification request, whose signature proves that the sender has the private one. */
async function requestedKey(csr: Uint8Array): ReturnType<typeof importPublicKey> {
  try {
    const request = new Pkcs10CertificateRequest(Buffer.from(csr));
    if (await request.verify()) return await importPublicKey(request.publicKey.rawData);
  } catch (cause) {
    throw new NodeProblem('its request for a certificate is not valid', { cause });
  }
  throw new NodeProblem('its request for a certificate is not signed by its key');
}
