import { once } from 'node:events';
import http, { type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { StatRequest } from '@rampart/node-client';
import { ALLOW_PRIVATE, type EngineClient, eventually, freePort, startEngineClient } from '@rampart/testing';
import { vlessOutbound } from '../../testing/clients/client-outbounds.js';
import { createNodeFixture, type NodeFixture, startRequest } from '../../testing/nodes/test-node.js';

const ID = '11111111-1111-4111-8111-111111111111';
const ann = { email: '1.ann', proxies: { vless: { id: ID } }, inbounds: ['vless'] };
const NAME = StatRequest.fromPartial({ name: '1.ann' });

describe('statistics of the real engine', () => {
  let test: NodeFixture;
  let client: EngineClient;
  let url: string;
  const waiting: ServerResponse[] = [];
  // Answers a probe at once, and all other requests on demand.
  const web = http.createServer((request, response) => {
    if (request.url === '/probe') response.writeHead(204).end();
    else waiting.push(response);
  });

  beforeAll(async () => {
    await once(web.listen(0, '127.0.0.1'), 'listening');
    url = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
    test = createNodeFixture();
    const port = await freePort();
    // The engine does not count clients at exactly 127.0.0.1.
    client = await startEngineClient({ ...vlessOutbound(port, ID), sendThrough: '127.0.0.2' });
    const config = {
      inbounds: [{ tag: 'vless', listen: '127.0.0.1', port, protocol: 'vless', settings: { decryption: 'none' } }],
      outbounds: [
        { tag: 'direct', protocol: 'freedom', settings: ALLOW_PRIVATE },
        { tag: 'other', protocol: 'freedom', settings: ALLOW_PRIVATE },
      ],
      observatory: { subjectSelector: ['direct'], probeUrl: `${url}/probe`, probeInterval: '1s' },
    };
    await test.node.start(startRequest(config, { users: [ann] }));
  });
  afterAll(async () => {
    await client.close();
    await test.close();
    web.closeAllConnections();
    web.close();
  });

  it('online statistics list the addresses of a connected user until the connection ends', async () => {
    expect(await test.node.onlineStats(NAME)).toEqual({ name: '1.ann', value: 0n });
    const page = client.fetch(`${url}/slow`);
    await eventually('the user is online', async (saw) => saw(await test.node.onlineStats(NAME)).value === 1n);
    const { name, ips } = await test.node.onlineAddresses(NAME);
    expect([name, Object.keys(ips)]).toEqual(['1.ann', ['127.0.0.2']]);
    expect(await test.node.onlineUsers()).toEqual({ emails: ['1.ann'] });
    const age = Math.abs(Date.now() / 1000 - Number(ips['127.0.0.2']));
    expect(age).toBeLessThan(10);
    for (const response of waiting) response.end('page');
    expect(await page).toBe('page');
    await eventually('the user is gone', async (saw) => saw(await test.node.onlineStats(NAME)).value === 0n);
    expect(await test.node.onlineAddresses(NAME)).toEqual({ name: '1.ann', ips: {} });
    expect(await test.node.onlineUsers()).toEqual({ emails: [] });
  });

  it('latency is reported for the outbounds that the observatory probes, and for no others', async () => {
    const all = async () => (await test.node.latencies({ name: '' })).latencies;
    await eventually('it was probed', async (saw) => saw(await all()).some(({ alive }) => alive));
    const [direct, ...others] = await all();
    expect(others).toEqual([]);
    expect(direct).toMatchObject({ name: 'direct', alive: true, link: '', source: '' });
    expect(direct?.delay).toBeLessThan(5000n);
    expect(Math.abs(Date.now() / 1000 - Number(direct?.lastSeenTime))).toBeLessThan(10);
    expect((await test.node.latencies({ name: 'direct' })).latencies).toHaveLength(1);
    expect((await test.node.latencies({ name: 'other' })).latencies).toEqual([]);
  });
});
