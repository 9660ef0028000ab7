import { X509Certificate } from 'node:crypto';
import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { MANAGEMENT_IDENTITY, type NodeTrust } from '@rampart/node-client';
import type { DataSource } from 'typeorm';
import { AtRestCipher } from '../../keys/at-rest-cipher.js';
import { Keys } from '../../keys/keys.js';
import { resealSecrets } from '../../keys/reseal-secrets.js';
import { storedKeyId } from '../../known-keys/key-ids.js';
import { KnownKeyRepository } from '../../known-keys/known-key.repository.js';
import { createMigratedDatabase } from '../../testing/migrated-database.js';
import { certificateRequest } from '../testing/certificate-request.js';
import { AuthorityRepository } from './authority.repository.js';
import { AuthorityTiming } from './authority-timing.js';
import { type NewIdentity, NodeCertificates } from './node-certificates.js';

const DAY_MS = 86_400_000;
const FIRST_KEY = Buffer.alloc(32, 1);

let database: DataSource;
const rows = new AuthorityRepository();

/** The certificates of one replica, with this at-rest key. */
function replica(key = FIRST_KEY, timing = new AuthorityTiming(), previous?: Buffer): NodeCertificates {
  const keys = new Keys({ jwt: key, subscription: key, atRest: key });
  return new NodeCertificates(database, rows, new AtRestCipher(key, previous), keys, timing);
}

const issue = (certificates: NodeCertificates, host = '192.0.2.10'): Promise<NewIdentity> =>
  database.transaction((manager) => certificates.issueIdentity(manager, host));

const nodeOf = ({ authorityId, identity }: NewIdentity) => ({ authorityId, identity, address: '192.0.2.11' });

async function clientCertificateOf(certificates: NodeCertificates, issued: NewIdentity): Promise<X509Certificate> {
  const trust = await certificates.trustOfEnrolled(nodeOf(issued));
  return new X509Certificate((trust as Exclude<NodeTrust, 'system'>).clientCertificate?.cert ?? '');
}

const authorityCount = async (): Promise<number> =>
  (await database.query('SELECT count(*)::integer AS n FROM node_authorities'))[0].n;

beforeAll(async () => {
  database = await createMigratedDatabase();
  await database.transaction((manager) =>
    new KnownKeyRepository(manager).storeKnownKeys('atRest', { newest: storedKeyId('atRest', FIRST_KEY), older: [] }),
  );
});

describe(NodeCertificates.name, () => {
  it('replicas that issue at the same moment make one authority, which all of them use', async () => {
    const replicas = Array.from({ length: 4 }, () => replica());
    const issued = await Promise.all(replicas.map((one) => issue(one)));
    expect(await authorityCount()).toBe(1);
    expect(new Set(issued.map(({ authority }) => authority)).size).toBe(1);
    expect(new Set(issued.map(({ identity }) => identity)).size).toBe(4);
    const authority = new X509Certificate(issued[0]?.authority ?? '');
    expect([authority.ca, authority.subject]).toEqual([true, 'CN=Rampart authority']);
    expect(Date.parse(authority.validTo)).toBeGreaterThan(Date.now() + 99 * 365 * DAY_MS);
    expect(authority.verify(authority.publicKey)).toBe(true);
  });

  it('the certificate of a node is for its address and its identity, as a server, for a year', async () => {
    const { authority, identity, certificate, key, expiresAt } = await issue(replica());
    const [own, issuer] = [new X509Certificate(certificate), new X509Certificate(authority)];
    expect(identity).toMatch(/^urn:rampart:node:[0-9a-f-]{36}$/);
    expect(own.subjectAltName).toBe(`URI:${identity}, IP Address:192.0.2.10`);
    expect(own.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
    expect([own.ca, own.checkIssued(issuer), own.verify(issuer.publicKey)]).toEqual([false, true, true]);
    expect(key).toMatch(/^-----BEGIN PRIVATE KEY-----/);
    expect(Date.parse(own.validTo)).toBe(expiresAt.getTime());
    const days = [Date.parse(own.validFrom), expiresAt.getTime()].map((end) => Math.round((end - Date.now()) / DAY_MS));
    expect(days).toEqual([-1, 365]);
    const named = new X509Certificate((await issue(replica(), 'node.example')).certificate);
    expect(named.subjectAltName).toMatch(/^URI:urn:rampart:node:[0-9a-f-]{36}, DNS:node\.example$/);
  });

  it('a renewed certificate is for the key of the request, the same identity and the present address', async () => {
    const issued = await issue(replica());
    const { request, key } = await certificateRequest();
    const renewed = await replica().renew(nodeOf(issued), request);
    expect(renewed?.checkPrivateKey(key)).toBe(true);
    expect(renewed?.verify(new X509Certificate(issued.authority).publicKey)).toBe(true);
    expect(renewed?.subjectAltName).toBe(`URI:${issued.identity}, IP Address:192.0.2.11`);
    expect(renewed?.ca).toBe(false);
  });

  it('a request that is none, is not signed by its key, or has another kind of key is refused', async () => {
    const node = nodeOf(await issue(replica()));
    await expect(replica().renew(node, Buffer.from('none'))).rejects.toThrow(
      'its request for a certificate is not valid',
    );
    const { request } = await certificateRequest();
    request.writeUInt8((request.at(-1) ?? 0) ^ 1, request.length - 1);
    await expect(replica().renew(node, request)).rejects.toThrow(
      'its request for a certificate is not signed by its key',
    );
    const other = await certificateRequest({ name: 'ECDSA', namedCurve: 'P-384', hash: 'SHA-384' });
    await expect(replica().renew(node, other.request)).rejects.toThrow('its request for a certificate is not valid');
  });

  it('a node that is not enrolled gets no certificate and no client certificate', async () => {
    const node = { authorityId: null, identity: null, address: '192.0.2.11' };
    expect(await replica().renew(node, Buffer.alloc(0))).toBeUndefined();
    expect(await replica().trustOfEnrolled(node)).toBeUndefined();
  });

  it('management shows nodes a client certificate of its own, one for each process, as long as it lasts', async () => {
    const issued = await issue(replica());
    const one = replica();
    const [first, again] = [await clientCertificateOf(one, issued), await clientCertificateOf(one, issued)];
    expect(first.subjectAltName).toBe(`URI:${MANAGEMENT_IDENTITY}`);
    expect(first.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2']);
    expect(first.verify(new X509Certificate(issued.authority).publicKey)).toBe(true);
    expect(again.fingerprint256).toBe(first.fingerprint256);
    const other = await clientCertificateOf(replica(), issued);
    expect(other.fingerprint256).not.toBe(first.fingerprint256);
  });

  it('the client certificate of management is made anew before it ends', async () => {
    const timing = { ...new AuthorityTiming(), leafMs: 9_000 };
    const one = replica(FIRST_KEY, timing);
    const issued = await issue(one);
    const begin = Date.now();
    const clock = jest.spyOn(Date, 'now');
    const first = await clientCertificateOf(one, issued);
    clock.mockReturnValue(begin + 5_000);
    expect((await clientCertificateOf(one, issued)).fingerprint256).toBe(first.fingerprint256);
    clock.mockReturnValue(begin + 7_000);
    expect((await clientCertificateOf(one, issued)).fingerprint256).not.toBe(first.fingerprint256);
    clock.mockRestore();
  });

  it('renewal is due when a third of the time is left', () => {
    const year = 365 * DAY_MS;
    const inMs = (ms: number) => new Date(Date.now() + ms);
    expect([year, year / 3 + 60_000, year / 3 - 60_000, -1].map((ms) => replica().isRenewalDue(inMs(ms)))).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });

  it('the key of the authority is not in the database in plain text, and bound to its row', async () => {
    await issue(replica());
    const [row] = await database.query('SELECT id, key_encrypted FROM node_authorities');
    const cipher = new AtRestCipher(FIRST_KEY);
    expect(cipher.open(row.key_encrypted, `node-authority:${row.id}`)).toMatch(/^-----BEGIN PRIVATE KEY-----/);
    expect(() => cipher.open(row.key_encrypted, `node-authority:${row.id + 1}`)).toThrow();
    expect(row.key_encrypted.toString('latin1')).not.toContain('PRIVATE KEY');
  });

  it('a replica without the present at-rest key makes no second authority', async () => {
    const issued = await issue(replica());
    const behind = replica(Buffer.alloc(32, 9));
    await expect(issue(behind)).rejects.toMatchObject({ code: 'NODE_AUTHORITY_CLOSED' });
    await expect(behind.trustOfEnrolled(nodeOf(issued))).rejects.toThrow(
      'the key of its authority does not open with the at-rest key of this management: issue it another enrolment',
    );
  });

  it('an authority is sealed with a new at-rest key, and replaced after its key was lost for good', async () => {
    const issued = await issue(replica());
    const second = Buffer.alloc(32, 2);
    await resealSecrets(database, rows, new AtRestCipher(second, FIRST_KEY));
    await database.transaction((manager) =>
      new KnownKeyRepository(manager).storeKnownKeys('atRest', { newest: storedKeyId('atRest', second), older: [] }),
    );
    expect((await issue(replica(second))).authority).toBe(issued.authority);

    const third = Buffer.alloc(32, 3);
    await database.transaction((manager) =>
      new KnownKeyRepository(manager).storeKnownKeys('atRest', { newest: storedKeyId('atRest', third), older: [] }),
    );
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    const made = await Promise.all([issue(replica(third)), issue(replica(third))]);
    expect(warn).toHaveBeenCalledWith(
      'The key of the node authority was lost with its at-rest key: a new authority is made',
    );
    warn.mockRestore();
    expect(await authorityCount()).toBe(2);
    expect(made[0]?.authority).toBe(made[1]?.authority);
    expect(made[0]?.authority).not.toBe(issued.authority);
  });
});
