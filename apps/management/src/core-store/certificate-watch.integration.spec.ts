import { X509Certificate } from 'node:crypto';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '@rampart/testing';
import { readConfigVersion } from '../database/config-version.js';
import { NodeTiming } from '../nodes/sync/node-timing.js';
import { AUTHORITY, LEAF } from '../nodes/testing/certificates.js';
import { ManagementWithNodeDoubles } from '../nodes/testing/management-with-node-doubles.js';
import { QUICK_TIMING } from '../nodes/testing/node-fixture.js';
import type { TestManagement } from '../testing/test-management.js';
import { CertificateTiming } from './certificate-timing.js';
import { CertificateWatch } from './certificate-watch.js';

/** The fingerprint as `openssl x509 -fingerprint -sha256` prints it, without colons. */
const pinOf = (pem: string) => new X509Certificate(pem).fingerprint256.replaceAll(':', '').toLowerCase();
const PINS = { leaf: pinOf(LEAF), authority: pinOf(AUTHORITY) };

describe('certificate files of a core that are renewed', () => {
  let certs: string;
  let nodes: ManagementWithNodeDoubles;
  let management: TestManagement;
  let watch: CertificateWatch;
  let links: string;

  beforeAll(async () => {
    certs = await mkdtemp(join(tmpdir(), 'rampart-certs-'));
    await write(LEAF);
    await writeFile(join(certs, 'key.pem'), 'key');
    nodes = await ManagementWithNodeDoubles.start({ RAMPART_CERTS_DIR: certs });
    management = nodes.management;
    watch = management.app.get(CertificateWatch);
    await watch.stop();

    const certificates = [{ certificateFile: 'cert.pem', keyFile: 'key.pem' }];
    const streamSettings = { security: 'tls', tlsSettings: { certificates } };
    const inbounds = [{ tag: 'pinned', protocol: 'trojan', port: 443, streamSettings }];
    const config = { inbounds, outbounds: [{ tag: 'direct', protocol: 'freedom' }] };
    await created('/api/core', { name: 'pinned', config });
    const group = await created('/api/group', { name: 'pinned', inbound_tags: ['pinned'] });
    await created('/api/host', {
      remark: 'h',
      address: ['a.example'],
      inbound_tag: 'pinned',
      priority: 1,
      allowinsecure: true,
    });
    const user = await created('/api/user', { username: 'alice', group_ids: [group['id']] });
    links = `${new URL(String(user['subscription_url'])).pathname}/links`;
  });

  afterAll(async () => {
    await nodes?.close();
    await rm(certs, { recursive: true });
  });

  const write = (pem: string) => writeFile(join(certs, 'cert.pem'), pem);
  async function created(path: string, body: object): Promise<Record<string, unknown>> {
    const answer = await management.call('POST', path, body);
    expect(answer.status).toBe(201);
    return Object(answer.body);
  }
  const pin = async () => /[?&]pcs=([0-9a-f]+)/.exec((await management.request('GET', links)).text)?.[1];
  const version = () => readConfigVersion(management.database.manager);

  it('change the pins in subscriptions when two checks in a row find the same', async () => {
    expect(await pin()).toBe(PINS.leaf);
    const before = await version();
    await watch.checkCertificates();
    await write(AUTHORITY);
    await watch.checkCertificates();
    expect([await pin(), await version()]).toEqual([PINS.leaf, before]);
    await watch.checkCertificates();
    expect([await pin(), await version()]).toEqual([PINS.authority, before + 1n]);
    await watch.checkCertificates();
    await watch.checkCertificates();
    expect(await version()).toBe(before + 1n);
  });

  it('change nothing while they cannot be read', async () => {
    const before = await version();
    await write('half a certi');
    await watch.checkCertificates();
    await watch.checkCertificates();
    expect([await pin(), await version()]).toEqual([PINS.authority, before]);
  });

  it('change the pins at once when a restart is ordered', async () => {
    await write(LEAF);
    expect((await management.call('POST', '/api/core/2/restart')).status).toBe(204);
    expect(await pin()).toBe(PINS.leaf);
  });

  it('by a rename reach subscriptions and nodes at the next checks', async () => {
    Object.assign(management.app.get(NodeTiming), QUICK_TIMING, { certificatesMs: 20 });
    const id = await nodes.connectedNode({ core_config_id: 2 });
    const { startRevision } = await nodes.fixture.readNode(id);
    const before = await version();
    Object.assign(management.app.get(CertificateTiming), { checkMs: 20 });
    watch.onApplicationBootstrap();
    await writeFile(join(certs, 'new.pem'), AUTHORITY);
    await rename(join(certs, 'new.pem'), join(certs, 'cert.pem'));
    await until(async (saw) => saw(await pin()) === PINS.authority);
    expect(await version()).toBe(before + 1n);
    await until((saw) => saw(certificatesOf(id)).length === 2);
    expect(certificatesOf(id)).toEqual([linesOf(LEAF), linesOf(AUTHORITY)]);
    expect((await nodes.fixture.readNode(id)).startRevision).toBeGreaterThan(startRevision);
  });

  const linesOf = (pem: string) => pem.trimEnd().split('\n');
  /** The certificate of each Start of a node. */
  const certificatesOf = (id: number): string[][] =>
    nodes.double(id).starts.map(({ config }) => {
      const [{ streamSettings }] = JSON.parse(config).inbounds;
      return streamSettings.tlsSettings.certificates[0].certificate;
    });
});
