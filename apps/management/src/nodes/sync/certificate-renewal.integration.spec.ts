import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { until } from '@rampart/testing';
import type { DataSource } from 'typeorm';
import { currentRevision } from '../../database/revision.js';
import { createMigratedDatabase } from '../../testing/migrated-database.js';
import type { Node } from '../store/node.entity.js';
import { AUTHORITY, LEAF } from '../testing/certificates.js';
import { NodeDouble } from '../testing/node-double.js';
import { NodeFixture, QUICK_TIMING } from '../testing/node-fixture.js';
import { NodeSyncWorker } from './node-sync.worker.js';

const lines = (pem: string) => pem.trimEnd().split('\n');

describe('certificate files of a core that are renewed', () => {
  let certs: string;
  let database: DataSource;
  let fixture: NodeFixture;
  let node: NodeDouble;
  let row: Node;
  let worker: NodeSyncWorker;

  beforeEach(async () => {
    certs = await mkdtemp(join(tmpdir(), 'rampart-certs-'));
    await write(LEAF, 'key 1');
    database = await createMigratedDatabase();
    fixture = new NodeFixture(database, certs);
    await setCore('warning');
    node = new NodeDouble();
    row = await fixture.createNode();
    await fixture.createUser('alice', await fixture.createGroup(['in']));
    worker = new NodeSyncWorker(row.id, fixture.context(node), { ...QUICK_TIMING, certificatesMs: 20 });
    await until(async (saw) => saw(await fixture.readNode(row.id)).status === 'connected');
  });

  afterEach(async () => {
    await worker.stop();
    await rm(certs, { recursive: true });
  });

  async function write(certificate: string, key: string): Promise<void> {
    await writeFile(join(certs, 'cert.pem'), certificate);
    await writeFile(join(certs, 'key.pem'), key);
  }

  async function setCore(loglevel: string): Promise<void> {
    const certificates = [{ certificateFile: 'cert.pem', keyFile: 'key.pem' }];
    const streamSettings = { security: 'tls', tlsSettings: { certificates } };
    await database.transaction(async (manager) => {
      const inbounds = [{ tag: 'in', protocol: 'vless', port: 443, streamSettings }];
      await fixture.nodeCores.pinCore(manager, await fixture.readCore(manager));
      await fixture.changeCore({ inbounds, log: { loglevel } }, manager);
    });
  }

  /** The log level and the certificate pair of each Start. */
  const starts = () =>
    node.starts.map(({ config }) => {
      const { inbounds, log } = JSON.parse(config);
      const [{ certificate, key }] = inbounds[0].streamSettings.tlsSettings.certificates;
      return [log.loglevel, certificate, key];
    });
  const first = ['warning', lines(LEAF), ['key 1']];

  it('renewed certificate files of a core are sent to the node once, by a revision', async () => {
    const before = await currentRevision(database.manager);
    await write(AUTHORITY, 'key 2');
    await until(async (saw) => saw(await fixture.readNode(row.id)).startRevision > 0n && saw(starts()).length === 2);
    expect(starts()).toEqual([first, ['warning', lines(AUTHORITY), ['key 2']]]);
    expect(await currentRevision(database.manager)).toBe(before + 1n);
    expect(node.starts.at(-1)).toMatchObject({ revision: before + 1n, users: [{ email: '1.alice' }] });
    await until(async (saw) => !saw(await fixture.readNode(row.id)).corePending);
    const { length } = node.calls.filter((call) => call === 'info');
    await until((saw) => saw(node.calls).filter((call) => call === 'info').length > length + 3);
    expect(starts()).toHaveLength(2);
  });

  it('renewed certificate files of a core are sent with the pinned core, not with a pending change', async () => {
    await setCore('debug');
    await write(AUTHORITY, 'key 2');
    await until((saw) => saw(starts()).length === 2);
    expect(starts()).toEqual([first, ['warning', lines(AUTHORITY), ['key 2']]]);
    await until(async (saw) => saw(await fixture.readNode(row.id)).startRevision > 0n);
    expect(await fixture.readNode(row.id)).toMatchObject({ status: 'connected', corePending: true });
  });

  it('renewed certificate files of a core change nothing while they cannot be read', async () => {
    await rm(join(certs, 'cert.pem'));
    const { length } = node.calls.filter((call) => call === 'info');
    await until((saw) => saw(node.calls).filter((call) => call === 'info').length > length + 3);
    expect(await fixture.readNode(row.id)).toMatchObject({ status: 'connected', message: null });
    await write(AUTHORITY, 'key 2');
    await until((saw) => saw(starts()).length === 2);
    expect(starts()).toEqual([first, ['warning', lines(AUTHORITY), ['key 2']]]);
  });

  it('renewed certificate files of a core are sent again after the node has refused them', async () => {
    node.fail('start', 'before', 'INVALID_ARGUMENT', 'the key is another one');
    await write(AUTHORITY, 'key 2');
    await until((saw) => saw(starts()).length === 2);
    await until(async (saw) => saw(await fixture.readNode(row.id)).message === null);
    expect(starts()).toEqual([first, ['warning', lines(AUTHORITY), ['key 2']]]);
  });
});
