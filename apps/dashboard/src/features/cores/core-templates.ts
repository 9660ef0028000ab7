import { newRealityKeys } from './reality';

const DIRECT = [
  { tag: 'DIRECT', protocol: 'freedom' },
  { tag: 'BLOCK', protocol: 'blackhole' },
];
/** Users must not reach the machine's own network. */
const ROUTING = { rules: [{ type: 'field', ip: ['geoip:private'], outboundTag: 'BLOCK' }] };
const config = (inbound: object) => ({
  log: { loglevel: 'warning' },
  inbounds: [inbound],
  outbounds: DIRECT,
  routing: ROUTING,
});

/** The key of an inbound of Shadowsocks 2022: 16 bytes. */
const newServerKey = (): string => btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(16))));

export const CORE_TEMPLATES = ['reality', 'shadowsocks'] as const;
export type CoreTemplate = (typeof CORE_TEMPLATES)[number];

/** A configuration to begin with. Tags contain the name of the core, because they must differ from those of other cores. */
export function configOf(template: CoreTemplate, name: string): Record<string, unknown> {
  if (template === 'shadowsocks')
    return config({
      tag: `${name} Shadowsocks`,
      port: 8388,
      protocol: 'shadowsocks',
      settings: {
        clients: [],
        method: '2022-blake3-aes-128-gcm',
        password: newServerKey(),
        // A packet of UDP of a user ends the engine.
        network: 'tcp',
      },
    });
  const { privateKey, shortId } = newRealityKeys();
  return config({
    tag: `${name} REALITY`,
    port: 443,
    protocol: 'vless',
    settings: { clients: [], decryption: 'none' },
    streamSettings: {
      network: 'tcp',
      security: 'reality',
      realitySettings: {
        target: 'www.example.com:443',
        serverNames: ['www.example.com'],
        privateKey,
        shortIds: [shortId],
      },
    },
  });
}
