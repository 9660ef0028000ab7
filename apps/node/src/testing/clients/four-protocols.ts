import { type EngineClient, freePort, runEngine } from '@rampart/testing';
import { shadowsocksOutbound, trojanOutbound, vlessOutbound, vmessOutbound } from './client-outbounds.js';

/** The credentials of the user with whom `startClient` connects. */
export const ID = '11111111-1111-4111-8111-111111111111';
export const METHOD = 'chacha20-ietf-poly1305';
export const PROTOCOLS = ['vless', 'vmess', 'trojan', 'shadowsocks'] as const;
export type Protocol = (typeof PROTOCOLS)[number];

/** A client whose SOCKS ports, one after another, lead to the protocols. */
export async function startClient(ports: ReadonlyMap<string, number>, mux: object = {}): Promise<EngineClient> {
  const port = await freePort();
  const outbounds: Record<Protocol, (port: number) => object> = {
    vless: (target) => vlessOutbound(target, ID),
    vmess: (target) => vmessOutbound(target, ID),
    trojan: (target) => trojanOutbound(target, 'secret'),
    shadowsocks: (target) => shadowsocksOutbound(target, METHOD, 'secret'),
  };
  return runEngine(port, {
    // A connection that the server has ended ends at once, not a second later.
    policy: { levels: { 0: { uplinkOnly: 0 } } },
    inbounds: PROTOCOLS.map((tag, index) => ({
      ...{ tag, listen: '127.0.0.1', port: port + index, protocol: 'socks' },
      settings: { udp: true },
    })),
    outbounds: PROTOCOLS.map((tag) => ({ ...outbounds[tag](ports.get(tag) ?? 0), ...mux, tag: `to-${tag}` })),
    routing: { rules: PROTOCOLS.map((tag) => ({ type: 'field', inboundTag: [tag], outboundTag: `to-${tag}` })) },
  });
}
