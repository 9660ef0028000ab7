import { X509Certificate } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { until } from '@rampart/testing';
import type { DataSource } from 'typeorm';
import { createMigratedDatabase } from '../../testing/migrated-database.js';
import { AuthorityTiming } from '../authority/authority-timing.js';
import type { NodeCertificates } from '../authority/node-certificates.js';
import type { Node } from '../store/node.entity.js';
import { certificateRequest } from '../testing/certificate-request.js';
import { NodeDouble } from '../testing/node-double.js';
import { NodeFixture, nodeCertificates, QUICK_TIMING } from '../testing/node-fixture.js';
import { NodeSyncWorker } from './node-sync.worker.js';

const TIMING = { ...QUICK_TIMING, renewalRetryMs: 30 };

describe('the renewal of the certificate of an enrolled node', () => {
  let database: DataSource;
  let fixture: NodeFixture;
  let node: NodeDouble;
  let row: Node;
  let worker: NodeSyncWorker | undefined;
  let certificates: NodeCertificates;

  beforeEach(async () => {
    database = await createMigratedDatabase();
    fixture = new NodeFixture(database);
    node = new NodeDouble();
    certificates = nodeCertificates(database);
    node.certificateRequest = (await certificateRequest()).request;
  });
  afterEach(() => worker?.stop());

  /** Enrols the node with a certificate that ends after this time, and serves it. Returns the SHA-256 of that certificate. */
  async function serve(endsInMs: number): Promise<string> {
    const short = nodeCertificates(database, { ...new AuthorityTiming(), leafMs: endsInMs });
    const issued = await database.transaction((manager) => short.issueIdentity(manager, '127.0.0.1'));
    const { authorityId, identity, certificate } = issued;
    node.certificate = new X509Certificate(certificate);
    row = await fixture.createNode({ authorityId, identity });
    worker = new NodeSyncWorker(row.id, fixture.context(node), TIMING);
    await until(async (saw) => saw(await fixture.readNode(row.id)).status === 'connected');
    return new X509Certificate(certificate).fingerprint256;
  }
  const requests = () => node.calls.filter((call) => call === 'requestCertificate').length;
  const message = async () => (await fixture.readNode(row.id)).message;

  it('a certificate with less than a third of its time left is renewed over the open connection', async () => {
    const before = await serve(121 * 86_400_000);
    await until((saw) => saw(node.certificate?.fingerprint256) !== before);
    const { certificate } = node;
    expect(certificate?.subjectAltName).toContain(`URI:${row.identity}`);
    const end = new Date(certificate?.validTo ?? '');
    await until(async (saw) => saw((await fixture.readNode(row.id)).certificateExpiresAt?.getTime()) === end.getTime());
    expect(certificates.isRenewalDue(end)).toBe(false);
    expect([requests(), node.closed, node.starts.length]).toEqual([1, 0, 1]);
  });

  it('a certificate with more time left is not renewed, and its end is stored', async () => {
    await serve(200 * 86_400_000);
    const checks = node.calls.length;
    await until((saw) => saw(node.calls).length > checks + 10);
    expect(requests()).toBe(0);
    const end = new Date(node.certificate?.validTo ?? '');
    expect((await fixture.readNode(row.id)).certificateExpiresAt).toEqual(end);
  });

  it('a renewal that fails is told in the message of the node, which is served on, and tried again', async () => {
    node.fail('requestCertificate', 'before', 'STORAGE_FAILED', 'the node cannot store its certificate: ENOSPC');
    let hasLooked = false;
    const request = node.requestCertificate.bind(node);
    node.requestCertificate = async () => {
      if (requests() === 1) await until(() => hasLooked);
      return request();
    };
    await serve(1_000 * 60);
    await until(
      async (saw) =>
        saw(await message()) === 'its certificate could not be renewed: the node cannot store its certificate: ENOSPC',
    );
    expect((await fixture.readNode(row.id)).status).toBe('connected');
    hasLooked = true;
    await until(async (saw) => saw(await message()) === null);
    expect(requests()).toBe(2);
    expect(node.closed).toBe(0);
  });

  it('a request that is not valid gets no certificate', async () => {
    node.certificateRequest = Buffer.from('none');
    await serve(1_000 * 60);
    await until(
      async (saw) =>
        saw(await message()) === 'its certificate could not be renewed: its request for a certificate is not valid',
    );
    expect(node.calls).not.toContain('installCertificate');
  });

  it('a node that left its enrolment meanwhile gets no certificate', async () => {
    await serve(200 * 86_400_000);
    await database.query('UPDATE nodes SET authority_id = NULL, identity = NULL WHERE id = $1', [row.id]);
    const issued = await database.transaction((manager) =>
      nodeCertificates(database, { ...new AuthorityTiming(), leafMs: 60_000 }).issueIdentity(manager, '127.0.0.1'),
    );
    node.certificate = new X509Certificate(issued.certificate);
    await until((saw) => saw(requests()) > 0);
    const checks = node.calls.length;
    await until((saw) => saw(node.calls).length > checks + 5);
    expect(node.calls).not.toContain('installCertificate');
    expect(await message()).toBeNull();
  });
});
