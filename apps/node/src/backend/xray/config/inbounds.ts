import { isShadowsocks2022, visionWorks } from '@rampart/domain';
import { type Handover, handoverOf } from './handover.js';
import { type JsonObject, objectAt, objectsAt, refuse, spellKeys, textAt } from './json-tree.js';

/** An inbound whose users the node keeps. */
export type ManagedInbound = { readonly tag: string; readonly handover: Handover } & (
  | { readonly protocol: 'vless'; readonly vision: boolean; readonly flow: string }
  | { readonly protocol: 'vmess' | 'trojan' | 'shadowsocks' | 'hysteria' }
  | { readonly protocol: 'shadowsocks-2022'; readonly method: string }
);

/** Methods with which the engine tells users apart. */
const METHODS_2022 = ['2022-blake3-aes-128-gcm', '2022-blake3-aes-256-gcm'];

const INBOUND_KEYS = ['tag', 'listen', 'port', 'protocol', 'settings', 'streamSettings'];
const SETTINGS_KEYS = ['clients', 'method', 'password', 'network', 'udp', 'flow', 'decryption', 'users'];
const STREAM_KEYS = ['network', 'security', 'tlsSettings', 'rawSettings', 'tcpSettings', 'finalmask'];
const CERTIFICATE_KEYS = ['certificate', 'certificateFile', 'key', 'keyFile', 'usage'];

/** Spells the keys of an inbound as we look for them. */
export function spellInbound(raw: JsonObject, path: string): JsonObject {
  const inbound = spellKeys(raw, INBOUND_KEYS, path);
  const settings = spellKeys(objectAt(inbound, 'settings', `${path}.settings`), SETTINGS_KEYS, `${path}.settings`);
  if (!inbound['streamSettings']) return { ...inbound, settings };
  return { ...inbound, settings, streamSettings: spellStream(inbound, `${path}.streamSettings`) };
}

function spellStream(inbound: JsonObject, path: string): JsonObject {
  const stream = spellKeys(objectAt(inbound, 'streamSettings', path), STREAM_KEYS, path);
  if (!stream['tlsSettings']) return stream;
  const tlsPath = `${path}.tlsSettings`;
  const tls = spellKeys(objectAt(stream, 'tlsSettings', tlsPath), ['certificates', 'alpn'], tlsPath);
  if (!tls['certificates']) return { ...stream, tlsSettings: tls };
  const certificates = objectsAt(tls, 'certificates', `${tlsPath}.certificates`).map(inLines);
  return { ...stream, tlsSettings: { ...tls, certificates } };
}

/** A certificate and its key may be one text each; the engine wants lists of lines. */
function inLines(certificate: JsonObject, index: number): JsonObject {
  const spelled = spellKeys(certificate, CERTIFICATE_KEYS, `certificates[${index}]`);
  const texts = Object.entries(spelled).filter(([key]) => key === 'certificate' || key === 'key');
  const lines = texts.flatMap(([key, text]) => (typeof text === 'string' ? [[key, text.split(/\r?\n/)]] : []));
  return { ...spelled, ...Object.fromEntries(lines) };
}

/** What the node has to know of an inbound to keep its users; nothing for inbounds without users of their own. */
export function managedInbound(inbound: JsonObject): ManagedInbound | undefined {
  const tag = textAt(inbound, 'tag');
  if (tag === '') return undefined;
  const settings = objectAt(inbound, 'settings', tag);
  const common = { tag, handover: handoverOf(inbound) };
  switch (textAt(inbound, 'protocol').toLowerCase()) {
    case 'vless':
      return { ...common, protocol: 'vless', vision: carriesVision(inbound, settings), flow: textAt(settings, 'flow') };
    case 'vmess':
      return { ...common, protocol: 'vmess' };
    case 'trojan':
      return { ...common, protocol: 'trojan' };
    case 'hysteria':
      return { ...common, protocol: 'hysteria' };
    case 'shadowsocks': {
      const method = textAt(settings, 'method');
      if (!isShadowsocks2022(method)) return { ...common, protocol: 'shadowsocks' };
      checkMethod2022(tag, method);
      return { ...common, protocol: 'shadowsocks-2022', method };
    }
    default:
      return undefined;
  }
}

function checkMethod2022(tag: string, method: string): void {
  if (METHODS_2022.includes(method)) return;
  refuse(`inbound "${tag}": with method "${method}" the engine knows no users; use ${METHODS_2022.join(' or ')}`);
}

/** Whether the engine can take the vision flow here; a user who has it there without would be locked out. */
export function carriesVision(inbound: JsonObject, settings: JsonObject): boolean {
  const stream = objectAt(inbound, 'streamSettings', 'streamSettings');
  const network = textAt(stream, 'network').toLowerCase();
  const raw = objectAt(stream, stream['rawSettings'] ? 'rawSettings' : 'tcpSettings', 'streamSettings.tcpSettings');
  const security = textAt(stream, 'security').toLowerCase();
  return visionWorks({
    encryption: textAt(settings, 'decryption') || 'none',
    network: ['', 'raw'].includes(network) ? 'tcp' : network,
    headerType: textAt(objectAt(raw, 'header', 'streamSettings.tcpSettings.header'), 'type').toLowerCase(),
    security: security === 'tls' || security === 'reality' ? security : 'none',
  });
}
