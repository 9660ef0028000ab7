import 'reflect-metadata';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Enrolment, type NodeClient, nodeIdentityOf, writeEnrolment } from '@rampart/node-client';
import { eventually, freePort } from '@rampart/testing';
import { EnrolmentAuthority } from '../../testing/enrolment-authority.js';
import { API_KEY, RunningNode } from '../../testing/nodes/running-node.js';

type ClientPair = { cert: string; key: string };

/** The node with its settings; nothing but the enrolment, and what keeps the test on this machine. */
const openNode = (enrolment: Enrolment, dataDir: string): Promise<RunningNode> =>
  RunningNode.open({
    settings: {
      RAMPART_ENROLMENT: writeEnrolment(enrolment),
      RAMPART_API_KEY: '',
      RAMPART_NODE_PORT: '',
      RAMPART_NODE_DATA_DIR: dataDir,
    },
  });

describe.each(['rest', 'grpc'] as const)('an enrolled node, over %s', (transport) => {
  let authority: EnrolmentAuthority;
  let enrolment: Enrolment;
  let management: ClientPair;
  let identity: string;
  let dataDir: string;
  let node: RunningNode;

  beforeAll(async () => {
    authority = await EnrolmentAuthority.create();
    management = await authority.client();
    enrolment = await authority.enrol({ port: await freePort() });
    identity = nodeIdentityOf(new X509Certificate(enrolment.certificate)) ?? '';
    dataDir = await mkdtemp(join(tmpdir(), 'rampart-enrolled-'));
    node = await openNode(enrolment, dataDir);
  });
  afterAll(async () => {
    await node.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  const clientWith = (clientCertificate?: ClientPair, apiKey = API_KEY): NodeClient =>
    node.client(transport, {
      apiKey,
      tls: { ca: authority.ca, identity, ...(clientCertificate && { clientCertificate }) },
    });
  /** The certificate that the port shows to a new connection. */
  async function shown(): Promise<X509Certificate | undefined> {
    const { cert, key } = management;
    const socket = tls.connect({ host: '127.0.0.1', port: node.port, ca: authority.ca, cert, key });
    await once(socket, 'secureConnect');
    const certificate = socket.getPeerX509Certificate();
    socket.destroy();
    return certificate;
  }

  it('an enrolled node listens on the port of its enrolment, and serves management', async () => {
    expect(node.port).toBe(enrolment.port);
    const { validTo } = new X509Certificate(enrolment.certificate);
    expect(await clientWith(management).info()).toMatchObject({
      certificateExpiresAt: BigInt(Date.parse(validTo) / 1000),
    });
  });

  it('security row 19: strangers of an enrolled node are refused before any key is compared', async () => {
    const lines: string[] = [];
    const reader = clientWith(management);
    const reading = (async () => {
      for await (const { detail } of reader.logs({ resume: false })) lines.push(detail);
    })().catch(() => undefined);
    const foreign = await (await EnrolmentAuthority.create()).client();
    const otherNode = await authority.client('urn:rampart:node:other', 'serverAuth');
    const otherNodeAsClient = await authority.client('urn:rampart:node:other');
    const strangers = [undefined, foreign, otherNode, otherNodeAsClient];
    for (const stranger of strangers) {
      const failure: unknown = await clientWith(stranger, 'another-key-of-the-tests')
        .info()
        .catch((error: unknown) => error);
      expect(failure).toMatchObject({ code: expect.stringMatching(/^(UNREACHABLE|UNAUTHENTICATED)$/) });
      expect(failure).not.toMatchObject({ message: 'missing or wrong API key' });
    }
    // The first wrong key that is compared is a line of the log, so a failed Start must come before any.
    await reader.start({ config: '{' }).catch(() => undefined);
    await eventually('the log has the Start', (saw) => saw(lines).some((line) => line.includes('Start failed')));
    expect(lines.filter((line) => line.includes('API key'))).toEqual([]);
    await expect(clientWith(management, 'another-key-of-the-tests').info()).rejects.toThrow('missing or wrong API key');
    await eventually('the log has the refused call', (saw) =>
      saw(lines).some((line) => line.includes('wrong or no API key')),
    );
    await reader.close();
    await reading;
  });

  it('a renewed certificate is for new connections; open ones go on, and a restart keeps it', async () => {
    const client = clientWith(management);
    const before = await shown();
    const lines: string[] = [];
    const reading = (async () => {
      for await (const { detail } of client.logs({ resume: false })) lines.push(detail);
    })().catch(() => undefined);
    await eventually('the log is open', (saw) => saw(lines).length > 0);

    const { request } = await client.requestCertificate();
    const certificate = await authority.renew(identity, request, { end: 400 });
    await client.installCertificate({ certificate });
    const renewed = new X509Certificate(certificate);
    expect(before?.fingerprint256).not.toBe(renewed.fingerprint256);
    expect((await shown())?.fingerprint256).toBe(renewed.fingerprint256);
    const expiresAt = BigInt(Date.parse(renewed.validTo) / 1000);
    expect((await client.info()).certificateExpiresAt).toBe(expiresAt);

    // The stream that was open before still gets new lines.
    const note = `management renewed the certificate: new connections get the one with SHA-256 ${renewed.fingerprint256}`;
    await eventually('the open log tells of the renewal', (saw) => saw(lines).includes(`[rampart] ${note}`));
    const count = lines.length;
    await client.start({ config: '{' }).catch(() => undefined);
    await eventually('the open log has new lines', (saw) => saw(lines).length > count);
    await client.close();
    await reading;

    await node.app.close();
    node = await openNode(enrolment, dataDir);
    expect((await shown())?.fingerprint256).toBe(renewed.fingerprint256);
    expect((await clientWith(management).info()).certificateExpiresAt).toBe(expiresAt);
  });

  it('a certificate that was not requested is refused, and changes nothing', async () => {
    const before = await shown();
    const certificate = Buffer.from('none');
    await expect(clientWith(management).installCertificate({ certificate })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: 'no certificate was requested since this node started',
    });
    expect((await shown())?.fingerprint256).toBe(before?.fingerprint256);
  });
});

describe.each(['rest', 'grpc'] as const)('a node that is not enrolled, over %s', (transport) => {
  it('a node with a certificate of its own has nothing to renew', async () => {
    const node = await RunningNode.open();
    const client = node.client(transport);
    try {
      const refusal = {
        code: 'NOT_ENROLLED',
        message: 'the node has a certificate of its own, which nobody renews over this link',
      };
      await expect(client.requestCertificate()).rejects.toMatchObject(refusal);
      await expect(client.installCertificate({})).rejects.toMatchObject(refusal);
      expect((await client.info()).certificateExpiresAt).toBe(0n);
    } finally {
      await node.close();
    }
  });
});
