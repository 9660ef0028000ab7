import 'reflect-metadata';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { NodeClient } from '@rampart/node-client';
import { createAuthority } from '../../testing/clients/client-authority.js';
import { INFO, NodeDouble } from '../../testing/nodes/node-double.js';
import { RunningNode } from '../../testing/nodes/running-node.js';

type Pair = { cert: string; key: string };

describe.each(['rest', 'grpc'] as const)('a port that asks for client certificates, over %s', (transport) => {
  const service = new NodeDouble();
  let folder: string;
  let node: RunningNode;
  let ours: Pair;
  let stranger: Pair;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rampart-ca-'));
    const authority = await createAuthority();
    ours = await authority.issue('management');
    stranger = await (await createAuthority()).issue('management');
    const file = join(folder, 'ca.pem');
    await writeFile(file, authority.ca);
    node = await RunningNode.open({ service, settings: { RAMPART_NODE_TLS_CLIENT_CA: file } });
  });
  beforeEach(() => service.reset());
  afterAll(async () => {
    await node.close();
    await rm(folder, { recursive: true, force: true });
  });

  const clientWith = (clientCertificate: Pair | undefined, apiKey?: string): NodeClient =>
    node.client(transport, {
      tls: { ca: node.certificate.cert, ...(clientCertificate && { clientCertificate }) },
      ...(apiKey && { apiKey }),
    });

  it('a caller with a certificate of the configured authority is served', async () => {
    expect(await clientWith(ours).info()).toEqual(INFO);
  });

  it('a caller with a client certificate needs the key too', async () => {
    const call = clientWith(ours, 'another-key-of-the-tests').info();
    await expect(call).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  it('security row 19: callers without a client certificate, or with one of another authority, are refused', async () => {
    const message = 'the node refuses our client certificate, or the lack of one';
    await expect(clientWith(undefined).info()).rejects.toMatchObject({ message });
    await expect(clientWith(stranger).info()).rejects.toMatchObject({ code: 'UNREACHABLE' });
    expect(service.calls).toEqual([]);
  });
});
