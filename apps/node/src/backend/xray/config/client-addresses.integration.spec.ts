import { once } from 'node:events';
import http, { type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { StatRequest } from '@rampart/node-client';
import { ALLOW_PRIVATE, type EngineClient, eventually, freePort, startEngineClient } from '@rampart/testing';
import { vlessOutbound } from '../../../testing/clients/client-outbounds.js';
import { createNodeFixture, type NodeFixture, startRequest } from '../../../testing/nodes/test-node.js';

const ID = '11111111-1111-4111-8111-111111111111';
const ANN = { email: '1.ann', proxies: { vless: { id: ID } }, inbounds: ['vless'] };
/** The address of the client: the engine does not count clients at exactly 127.0.0.1. */
const PEER = '127.0.0.2';
const FORGED = '203.0.113.9';
const EVERYWHERE = '0.0.0.0';
const LOCAL = '127.0.0.1';

type Network = 'ws' | 'httpupgrade' | 'xhttp';
const NETWORKS: readonly Network[] = ['ws', 'httpupgrade', 'xhttp'];

describe('the addresses of users', () => {
  let test: NodeFixture;
  let client: EngineClient | undefined;
  let port: number;
  const waiting: ServerResponse[] = [];
  const web = http.createServer((_request, response) => {
    waiting.push(response);
  });

  beforeAll(async () => {
    await once(web.listen(0, LOCAL), 'listening');
    test = createNodeFixture();
  });
  afterEach(async () => {
    await client?.close();
    client = undefined;
    await test.node.stop();
  });
  afterAll(async () => {
    await test.close();
    web.closeAllConnections();
    web.close();
  });

  const start = async (network: Network, listen: string, stream: object = {}, others: readonly object[] = []) => {
    port = await freePort();
    const inbound = { tag: 'vless', listen, port, protocol: 'vless', settings: { decryption: 'none' } };
    await test.node.start(
      startRequest(
        {
          inbounds: [{ ...inbound, streamSettings: { network, ...stream } }, ...others],
          outbounds: [{ tag: 'direct', protocol: 'freedom', settings: ALLOW_PRIVATE }],
        },
        { users: [ANN] },
      ),
    );
  };

  /** The addresses at which the node sees a user who sends these headers. */
  const seenAt = async (network: Network, headers: Record<string, string>, at = port): Promise<string[]> => {
    client = await startEngineClient({
      ...vlessOutbound(at, ID),
      sendThrough: PEER,
      streamSettings: { network, [`${network}Settings`]: { headers } },
    });
    const page = client.fetch(`http://${LOCAL}:${(web.address() as AddressInfo).port}/`);
    const ask = () => test.node.onlineAddresses(StatRequest.fromPartial({ name: ANN.email }));
    await eventually('the user is online', async (saw) => saw(Object).keys((await ask()).ips).length > 0);
    const { ips } = await ask();
    // The engine knows the user before the page has heard of the request.
    await eventually('the page is asked for', (saw) => saw(waiting).length > 0);
    for (const response of waiting.splice(0)) response.end('page');
    expect(await page).toBe('page');
    return Object.keys(ips);
  };

  it.each(NETWORKS)('security row 75: a user of %s who connects directly cannot forge an address', async (network) => {
    await start(network, EVERYWHERE);
    expect(await seenAt(network, { 'X-Forwarded-For': FORGED })).toEqual([PEER]);
  });

  it.each(NETWORKS)('security row 75: with an empty list of headers, nobody is believed over %s', async (network) => {
    await start(network, EVERYWHERE, { sockopt: { trustedXForwardedFor: [] } });
    expect(await seenAt(network, { 'X-Forwarded-For': FORGED })).toEqual([PEER]);
  });

  it.each(NETWORKS)('a proxy that adds a header of the list is believed over %s, and nobody else', async (network) => {
    await start(network, EVERYWHERE, { sockopt: { trustedXForwardedFor: ['X-My-CDN'] } });
    expect(await seenAt(network, { 'X-Forwarded-For': FORGED, 'X-My-CDN': '1' })).toEqual([FORGED]);
    await client?.close();
    await eventually('the user is gone', async (saw) => saw(await test.node.onlineUsers()).emails.length === 0);
    expect(await seenAt(network, { 'X-Forwarded-For': FORGED })).toEqual([PEER]);
  });

  it.each(NETWORKS)('a proxy on the same machine is believed over %s', async (network) => {
    await start(network, LOCAL);
    expect(await seenAt(network, { 'X-Forwarded-For': FORGED })).toEqual([FORGED]);
  });

  it('security row 75: a user who comes through a fallback to an inbound on the same machine is not believed', async () => {
    const outer = await freePort();
    const settings = { decryption: 'none', fallbacks: [] as object[] };
    const parent = { tag: 'parent', listen: EVERYWHERE, port: outer, protocol: 'vless', settings };
    const inner = { network: 'ws', sockopt: { acceptProxyProtocol: true } };
    settings.fallbacks.push({ dest: '@rampart-test-ws', xver: 1 });
    await start('ws', '@rampart-test-ws', inner, [parent]);
    expect(await seenAt('ws', { 'X-Forwarded-For': FORGED }, outer)).toEqual([PEER]);
  });

  it.each(NETWORKS)(
    'security row 75: no request over %s can have the header that stands for nobody',
    async (network) => {
      await start(network, EVERYWHERE);
      const socket = connect(port, LOCAL);
      let answer = '';
      socket.on('data', (chunk) => {
        answer += chunk.toString('latin1');
      });
      const headers = ['Host: a', 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'];
      socket.write(`GET / HTTP/1.1\r\n${[...headers, '(none): 1', `X-Forwarded-For: ${FORGED}`].join('\r\n')}\r\n\r\n`);
      await once(socket, 'close');
      expect(answer).not.toContain('101 Switching');
      expect(answer.split('\r\n')[0]).toBe(network === 'httpupgrade' ? '' : 'HTTP/1.1 400 Bad Request');
    },
  );
});
