import { isShadowsocks2022, VLESS_FLOWS } from '@rampart/domain';
import type { Inbound } from '../read/inbound.js';
import type { JsonCursor } from '../read/json-cursor.js';
import type { Protocol, ProtocolFields } from './offered-inbound.js';

const PROTOCOLS: readonly Protocol[] = ['vmess', 'vless', 'trojan', 'shadowsocks'];

const KEY_LENGTHS: ReadonlyMap<string, number> = new Map([
  ['2022-blake3-aes-128-gcm', 16],
  ['2022-blake3-aes-256-gcm', 32],
]);

const LEGACY_METHODS = [
  'aes-128-gcm',
  'aes-256-gcm',
  'chacha20-poly1305',
  'chacha20-ietf-poly1305',
  'xchacha20-poly1305',
  'xchacha20-ietf-poly1305',
];

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Reads the protocol of an inbound. Undefined for one that users do not get (socks, http …). @throws CoreConfigError */
export function readProtocol(inbound: JsonCursor, tag: string): Protocol | undefined {
  const cursor = inbound.get('protocol');
  const name = cursor.text().toLowerCase();
  if (name === '') cursor.fail(`${tag} inbound doesn't have protocol`);
  return PROTOCOLS.find((protocol) => protocol === name);
}

/** Reads the settings of a protocol (contract: validation rules 6 and 7). @throws CoreConfigError */
export function readProtocolFields(
  protocol: Protocol,
  settings: JsonCursor,
  { tag, vision, transports }: Pick<Inbound, 'tag' | 'vision' | 'transports'>,
): ProtocolFields {
  switch (protocol) {
    case 'vmess':
    case 'trojan':
      return { protocol };
    case 'vless':
      return readVless(settings, tag, vision);
    case 'shadowsocks':
      return { ...readShadowsocks(settings, tag), udp: transports.includes('udp') };
  }
}

function readVless(settings: JsonCursor, tag: string, vision: boolean): ProtocolFields {
  const cursor = settings.get('encryption');
  const encryption = cursor.text() || 'none';
  const decryption = settings.get('decryption').text() || 'none';
  if (decryption !== 'none' && encryption === 'none')
    cursor.fail(`'encryption' key must be provided in ${tag} inbound`);
  const given = settings.get('flow');
  const flow = VLESS_FLOWS.find((known) => known === given.text());
  if (flow === undefined) return given.fail(`flow of ${tag} must be empty or xtls-rprx-vision`);
  return { protocol: 'vless', flow, encryption, vision };
}

function readShadowsocks(settings: JsonCursor, tag: string) {
  const cursor = settings.get('method');
  const method = cursor.text();
  const keyLength = KEY_LENGTHS.get(method);
  if (keyLength !== undefined) {
    const password = readServerKey(settings.get('password'), method, keyLength, tag);
    return { protocol: 'shadowsocks', method, is2022: true, password } as const;
  }
  if (isShadowsocks2022(method)) cursor.fail(`only 2022-blake3-aes-*-gcm methods are supported (inbound ${tag})`);
  if (method !== '' && !LEGACY_METHODS.includes(method)) {
    const known = [...KEY_LENGTHS.keys(), ...LEGACY_METHODS].join(', ');
    cursor.fail(`Shadowsocks method of ${tag} is not supported: known are ${known}`);
  }
  return { protocol: 'shadowsocks', method, is2022: false, password: '' } as const;
}

function readServerKey(cursor: JsonCursor, method: string, length: number, tag: string): string {
  const key = cursor.text();
  if (key === '' || !BASE64.test(key)) {
    cursor.fail(`Shadowsocks password must be a valid base64 string (inbound ${tag})`);
  }
  if (Buffer.byteLength(key, 'base64') < length) {
    cursor.fail(`Shadowsocks password of ${tag} is too short: ${method} needs ${length} bytes in base64`);
  }
  return key;
}
