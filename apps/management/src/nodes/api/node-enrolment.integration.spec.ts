import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Enrolment, nodeIdentityOf, readEnrolment } from '@rampart/node-client';
import { NodeConnector } from '../connection/node-connector.js';
import { Node } from '../store/node.entity.js';
import { AUTHORITY } from '../testing/certificates.js';
import { ManagementWithNodeDoubles, NODE } from '../testing/management-with-node-doubles.js';
import type { NodeView } from './node.dto.js';
import type { NodeEnrolment } from './node-enrolment.dto.js';

let nodes: ManagementWithNodeDoubles;
beforeAll(async () => {
  nodes = await ManagementWithNodeDoubles.start();
});
afterAll(() => nodes?.close());

const ENROL = { name: 'near', address: '192.0.2.10' };
let count = 0;

const send = (path: string, body: object = {}) => nodes.management.request('POST', path, body);

async function enrolled(values: object = {}): Promise<{ node: NodeView; value: Enrolment; text: string }> {
  count += 1;
  const { status, body } = await send('/api/nodes/enrol', { ...ENROL, name: `enrolled ${count}`, ...values });
  expect(status).toBe(201);
  const { node, enrolment }: NodeEnrolment = Object(body);
  return { node, value: readEnrolment(enrolment), text: enrolment };
}

async function enrolledAgain(id: number): Promise<{ node: NodeView; value: Enrolment }> {
  const { status, body } = await send(`/api/node/${id}/enrol`);
  expect(status).toBe(200);
  const { node, enrolment }: NodeEnrolment = Object(body);
  return { node, value: readEnrolment(enrolment) };
}

const rowOf = (id: number): Promise<Node> => nodes.management.database.manager.findOneByOrFail(Node, { id });
const identityOf = ({ certificate }: Enrolment) => nodeIdentityOf(new X509Certificate(certificate));

/** The key that management sends to a node. */
async function apiKeyOf(id: number): Promise<string> {
  const { apiKeyEncrypted } = await rowOf(id);
  return Reflect.get(nodes.management.app.get(NodeConnector), 'cipher').open(apiKeyEncrypted, `node:${id}`);
}

describe('enrolment of nodes', () => {
  it('a node is enrolled by its name and address, and all else has defaults', async () => {
    const { node, value, text } = await enrolled();
    expect(text).toMatch(/^RAMPART_ENROLMENT=rampart-enrolment-1\.[\w-]+\.[\w-]{8}$/);
    const { validTo } = new X509Certificate(value.certificate);
    expect(node).toMatchObject({
      address: '192.0.2.10',
      port: 62_050,
      usage_coefficient: 1,
      connection_type: 'grpc',
      server_ca: value.authority,
      keep_alive: 0,
      core_config_id: 1,
      status: 'connecting',
      certificate_expires_at: new Date(validTo).toISOString(),
    });
    expect(value.port).toBe(62_050);
    expect(value.apiKey).toMatch(/^[\w-]{43}$/);
    expect(await apiKeyOf(node.id)).toBe(value.apiKey);
    expect(await rowOf(node.id)).toMatchObject({ identity: identityOf(value), listenPort: null });
    expect((await nodes.management.request('GET', `/api/node/${node.id}`)).body).toMatchObject({
      name: node.name,
      certificate_expires_at: node.certificate_expires_at,
    });
  });

  it('every member of the request is stored, and a mapped port is in the value alone', async () => {
    const core = await send('/api/core', {
      name: 'second',
      config: {
        inbounds: [{ tag: 'in', protocol: 'vless', port: 443, settings: { decryption: 'none' } }],
        outbounds: [{ tag: 'out', protocol: 'freedom' }],
      },
    });
    expect(core.status).toBe(201);
    const values = {
      address: 'node.example',
      port: 8443,
      listen_port: 62_051,
      connection_type: 'rest',
      keep_alive: 60,
      core_config_id: Object(core.body).id,
      usage_coefficient: 1.5,
    };
    const { node, value } = await enrolled(values);
    const { listen_port, ...shown } = values;
    expect(node).toMatchObject(shown);
    expect(value.port).toBe(62_051);
    expect((await enrolledAgain(node.id)).value.port).toBe(62_051);
  });

  it('the value is shown once: no table and no log holds any of its secrets', async () => {
    const { node, value, text } = await enrolled();
    const key = value.key.replace(/-----[^-]+-----|\s/g, '');
    const secrets = [value.apiKey, key, Buffer.from(key, 'base64').toString('hex'), text.slice(20)];
    for (const table of ['nodes', 'node_authorities', 'audit_entries']) {
      const [{ dump }] = await nodes.management.database.query(`SELECT json_agg(t)::text AS dump FROM ${table} t`);
      for (const secret of secrets) expect(dump).not.toContain(secret);
      expect(dump).not.toContain('PRIVATE KEY');
    }
    const [entry] = await nodes.newestAuditEntries();
    expect(entry).toMatchObject({
      actor: 'root',
      action: 'node.enrol',
      target: `node/${node.id}`,
      difference: { name: { after: node.name }, api_key: { after: '***' } },
    });
  });

  it('an enrolled node is called by its identity, with the certificate of management', async () => {
    const { node, value } = await enrolled();
    const certificates = Reflect.get(nodes.management.app.get(NodeConnector), 'certificates');
    expect(await certificates.trustOfEnrolled(await rowOf(node.id))).toMatchObject({
      ca: value.authority,
      identity: identityOf(value),
      clientCertificate: { cert: expect.stringMatching(/^-----BEGIN CERTIFICATE-----/) },
    });
  });

  it('a node that is enrolled again has another key and identity, and is called anew with them', async () => {
    const { node, value } = await enrolled();
    await nodes.waitForStatus(node.id, 'connected');
    const connections = nodes.connections.length;
    const again = await enrolledAgain(node.id);
    expect(again.value.apiKey).not.toBe(value.apiKey);
    expect(identityOf(again.value)).not.toBe(identityOf(value));
    expect(again.value.authority).toBe(value.authority);
    expect(await apiKeyOf(node.id)).toBe(again.value.apiKey);
    expect((await rowOf(node.id)).identity).toBe(identityOf(again.value));
    const entries = await nodes.newestAuditEntries();
    expect(entries).toMatchObject([
      { action: 'node.enrol_again', target: `node/${node.id}`, difference: { api_key: { after: '***' } } },
    ]);
    await nodes.waitForConnections(connections + 1);
  });

  it('a node with a certificate of its own is enrolled, and leaves its enrolment with another certificate', async () => {
    const { body } = await send('/api/node', { ...NODE, name: 'own' });
    const { id, server_ca: own, certificate_expires_at: none }: NodeView = Object(body);
    expect(none).toBeNull();
    const { node, value } = await enrolledAgain(id);
    expect(node).toMatchObject({ server_ca: value.authority, certificate_expires_at: expect.any(String) });
    const put = (values: object) => nodes.management.request('PUT', `/api/node/${id}`, values);

    expect((await put({ name: 'own 2', server_ca: node.server_ca })).body).toMatchObject({
      certificate_expires_at: node.certificate_expires_at,
    });
    expect((await rowOf(id)).identity).toBe(identityOf(value));
    for (const certificate of [own, AUTHORITY]) {
      expect((await put({ server_ca: certificate })).body).toMatchObject({
        server_ca: certificate,
        certificate_expires_at: null,
      });
    }
    expect(await rowOf(id)).toMatchObject({ identity: null, authorityId: null, certificateExpiresAt: null });
  });

  it('a disabled node stays disabled when it is enrolled again', async () => {
    const { node } = await enrolled();
    await nodes.management.request('PUT', `/api/node/${node.id}`, { status: 'disabled' });
    expect((await enrolledAgain(node.id)).node.status).toBe('disabled');
  });

  it('an enrolment with a taken name, an unknown core, bad members or no node is refused, and nothing changes', async () => {
    await enrolled({ name: 'taken' });
    const before = await nodes.auditCount();
    const answers = await Promise.all([
      send('/api/nodes/enrol', { ...ENROL, name: 'taken' }),
      send('/api/nodes/enrol', { ...ENROL, name: 'new', core_config_id: 77 }),
      send('/api/nodes/enrol', { port: 0, listen_port: 'x', keep_alive: -1 }),
      send('/api/nodes/enrol', { ...ENROL, name: 'new', address: '169.254.169.254' }),
      send('/api/node/9999/enrol'),
    ]);
    expect(answers.map(({ status, body }) => [status, body])).toEqual([
      [409, { code: 'NODE_EXISTS', detail: 'Node "taken" already exists' }],
      [404, { code: 'CORE_NOT_FOUND', detail: 'Core config not found' }],
      [
        422,
        {
          code: 'INVALID_FIELDS',
          detail: {
            name: 'Field required',
            address: 'Field required',
            port: 'Input should be an integer from 1 to 65535',
            listen_port: 'Input should be an integer from 1 to 65535',
            keep_alive: 'Input should be a number of seconds from 0 to 2147483647',
          },
        },
      ],
      [422, { code: 'INVALID_FIELDS', detail: { address: 'Input is an address that no node can have' } }],
      [404, { code: 'NODE_NOT_FOUND', detail: 'Node not found' }],
    ]);
    expect(await nodes.auditCount()).toBe(before);
  });

  it('only sudo admins may enrol nodes', async () => {
    const token = await nodes.management.plainAdmin('plain');
    for (const path of ['/api/nodes/enrol', '/api/node/1/enrol']) {
      expect((await nodes.management.call('POST', path, ENROL, token)).status).toBe(403);
      expect((await nodes.management.call('POST', path, ENROL, '')).status).toBe(401);
    }
  });
});
