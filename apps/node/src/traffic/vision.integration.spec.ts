import { once } from 'node:events';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fingerprintOf, StatType } from '@rampart/node-client';
import { ALLOW_PRIVATE, type EngineClient, freePort, startEngineClient } from '@rampart/testing';
import { createAuthority } from '../testing/clients/client-authority.js';
import { createNodeFixture, type NodeFixture, startRequest } from '../testing/nodes/test-node.js';

const ID = '11111111-1111-4111-8111-111111111111';
const FLOW = 'xtls-rprx-vision';
const ROUNDS = 20;
const PING = Buffer.alloc(32 * 1024, 'a');

describe('traffic of a vision connection', () => {
  let test: NodeFixture;
  let echo: Server;
  let client: EngineClient;
  let connection: TLSSocket;

  beforeAll(async () => {
    const { cert, key } = await (await createAuthority()).issue('localhost');
    echo = createServer({ cert, key, minVersion: 'TLSv1.3' }, (socket) => socket.on('error', () => {}).pipe(socket));
    echo.listen(0, '127.0.0.1');
    await once(echo, 'listening');
    const port = await freePort();
    const [certificate, pem] = [cert.split('\n'), key.split('\n')];
    test = createNodeFixture();
    const config = {
      inbounds: [
        {
          ...{ tag: 'vision', listen: '127.0.0.1', port, protocol: 'vless', settings: { decryption: 'none' } },
          streamSettings: { security: 'tls', tlsSettings: { certificates: [{ certificate, key: pem }] } },
        },
      ],
      outbounds: [{ tag: 'direct', protocol: 'freedom', settings: ALLOW_PRIVATE }],
    };
    const ann = { email: '1.ann', proxies: { vless: { id: ID, flow: FLOW } }, inbounds: ['vision'] };
    await test.node.start(startRequest(config, { users: [ann] }));
    const pinnedPeerCertSha256 = fingerprintOf(cert).replaceAll(':', '').toLowerCase();
    const users = [{ id: ID, flow: FLOW, encryption: 'none' }];
    client = await startEngineClient({
      ...{ protocol: 'vless', settings: { vnext: [{ address: '127.0.0.1', port, users }] } },
      streamSettings: { security: 'tls', tlsSettings: { serverName: 'localhost', pinnedPeerCertSha256 } },
    });
  });
  afterAll(async () => {
    connection?.destroy();
    await client?.close();
    echo?.close();
    await test.close();
  });

  it('is counted while the connection lives', async () => {
    const path = `127.0.0.1:${(echo.address() as AddressInfo).port}`;
    const call = request({ host: '127.0.0.1', port: client.port, method: 'CONNECT', path });
    call.end();
    const [, socket] = await once(call, 'connect');
    connection = connect({ socket, rejectUnauthorized: false });
    await once(connection, 'secureConnect');
    for (let round = 0; round < ROUNDS; round += 1) {
      connection.write(PING);
      for (let left = PING.length; left > 0; ) {
        const [chunk] = await once(connection, 'data');
        left -= chunk.length;
      }
    }
    const { stats } = await test.node.stats({ type: StatType.UserStat, name: '1.ann', reset: false });
    expect(stats.map(({ type }) => type)).toEqual(['uplink', 'downlink']);
    for (const { value } of stats) {
      expect(Number(value)).toBeGreaterThan(ROUNDS * PING.length);
      // TLS adds a few bytes.
      expect(Number(value)).toBeLessThan(ROUNDS * PING.length * 1.05);
    }
  });
});
