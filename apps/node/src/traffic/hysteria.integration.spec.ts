import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fingerprintOf, StatRequest, StatType } from '@rampart/node-client';
import { ALLOW_PRIVATE, type EngineClient, freePort, startEngineClient } from '@rampart/testing';
import { createAuthority } from '../testing/clients/client-authority.js';
import { createNodeFixture, type NodeFixture, startRequest } from '../testing/nodes/test-node.js';

const AUTH = 'secret of ann';
const PAGE_BYTES = 200_000;

describe('traffic of a user of Hysteria', () => {
  let test: NodeFixture;
  let client: EngineClient | undefined;
  const web = createServer((_request, response) => response.end('a'.repeat(PAGE_BYTES)));

  beforeAll(async () => {
    await once(web.listen(0, '127.0.0.1'), 'listening');
    const { cert, key } = await (await createAuthority()).issue('localhost');
    const port = await freePort();
    const certificates = [{ certificate: cert.split('\n'), key: key.split('\n') }];
    const hysteria = { network: 'hysteria', security: 'tls', hysteriaSettings: { version: 2 } };
    test = createNodeFixture();
    const config = {
      inbounds: [
        {
          ...{ tag: 'hysteria', listen: '127.0.0.1', port, protocol: 'hysteria', settings: { version: 2 } },
          streamSettings: { ...hysteria, tlsSettings: { certificates, alpn: ['h3'] } },
        },
      ],
      outbounds: [
        { tag: 'direct', protocol: 'freedom', settings: ALLOW_PRIVATE },
        { tag: 'nowhere', protocol: 'blackhole' },
      ],
      // A rule for everybody else: the engine knows who connects.
      routing: {
        rules: [
          { user: ['1.ann'], outboundTag: 'direct' },
          { network: 'tcp', outboundTag: 'nowhere' },
        ],
      },
    };
    const ann = { email: '1.ann', proxies: { hysteria: { auth: AUTH } }, inbounds: ['hysteria'] };
    await test.node.start(startRequest(config, { users: [ann] }));
    const pinnedPeerCertSha256 = fingerprintOf(cert).replaceAll(':', '').toLowerCase();
    client = await startEngineClient({
      ...{ protocol: 'hysteria', settings: { version: 2, address: '127.0.0.1', port } },
      streamSettings: {
        ...hysteria,
        hysteriaSettings: { version: 2, auth: AUTH },
        tlsSettings: { serverName: 'localhost', alpn: ['h3'], pinnedPeerCertSha256 },
      },
    });
  });
  afterAll(async () => {
    await client?.close();
    web.close();
    await test.close();
  });

  it('security row 76: the engine knows a user of Hysteria, and counts the traffic', async () => {
    const url = `http://127.0.0.1:${(web.address() as AddressInfo).port}/`;
    expect(await client?.fetch(url, 5000)).toHaveLength(PAGE_BYTES);
    const { stats } = await test.node.stats(
      StatRequest.fromPartial({ type: StatType.UserStat, name: '1.ann', reset: false }),
    );
    const [uplink, downlink] = stats.map(({ value }) => Number(value));
    expect(stats.map(({ type }) => type)).toEqual(['uplink', 'downlink']);
    expect(uplink).toBeGreaterThan(0);
    expect(downlink).toBeGreaterThanOrEqual(PAGE_BYTES);
    expect(downlink).toBeLessThan(PAGE_BYTES * 1.05);
  });
});
