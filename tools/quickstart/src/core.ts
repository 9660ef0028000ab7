import { generateKeyPairSync, randomBytes } from 'node:crypto';
import type { Settings } from './settings.js';

export const VLESS_TAG = 'VLESS REALITY';
export const SHADOWSOCKS_TAG = 'Shadowsocks 2022';

/** The first core: VLESS over REALITY with vision, and Shadowsocks-2022, with newly generated keys. */
export function quickStartCore(settings: Settings): object {
  return {
    log: { loglevel: 'warning', access: 'none' },
    inbounds: [
      {
        tag: VLESS_TAG,
        listen: '0.0.0.0',
        port: settings.vlessPort,
        protocol: 'vless',
        settings: { clients: [], decryption: 'none' },
        streamSettings: {
          network: 'tcp',
          security: 'reality',
          realitySettings: {
            ...realityTarget(settings),
            privateKey: x25519PrivateKey(),
            shortIds: [randomBytes(8).toString('hex')],
          },
        },
      },
      {
        tag: SHADOWSOCKS_TAG,
        listen: '0.0.0.0',
        port: settings.shadowsocksPort,
        protocol: 'shadowsocks',
        settings: {
          method: '2022-blake3-aes-128-gcm',
          password: randomBytes(16).toString('base64'),
          // One packet of UDP of a user ends the engine (docs/operators.md).
          network: 'tcp',
          clients: [],
        },
      },
    ],
    outbounds: [
      { tag: 'direct', protocol: 'freedom' },
      { tag: 'block', protocol: 'blackhole' },
    ],
  };
}

/** The default target of REALITY is the node's own TLS port, which also works offline. */
function realityTarget({ realityTarget: target, nodePort }: Settings) {
  return target === undefined
    ? { target: `127.0.0.1:${nodePort}`, serverNames: ['localhost'] }
    : { target, serverNames: [target.slice(0, target.lastIndexOf(':'))] };
}

/** A new private key in the engine's encoding: the 32 raw bytes in base64url. */
function x25519PrivateKey(): string {
  const { privateKey } = generateKeyPairSync('x25519');
  return privateKey.export({ format: 'jwk' }).d as string;
}
