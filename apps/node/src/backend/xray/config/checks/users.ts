import { foldCase, type Inbound } from '@rampart/core-config';
import { isShadowsocks2022 } from '@rampart/domain';
import { type JsonObject, objectAt, objectsAt, refuse, textAt } from '../json-tree.js';
import type { ManagedInbound } from '../managed-inbound.js';

const PROTOCOLS = ['vless', 'vmess', 'trojan', 'shadowsocks', 'hysteria'];
const OPEN_METHODS = ['none', 'plain'];
const VISION = 'xtls-rprx-vision';
/** The 2022 methods with which the engine supports several users on an inbound. */
const METHODS_2022 = ['2022-blake3-aes-128-gcm', '2022-blake3-aes-256-gcm'];

/** Throws CONFIG_REFUSED for a Shadowsocks-2022 inbound whose method does not support users. */
export function checkMethods2022(inbounds: readonly ManagedInbound[]): void {
  for (const inbound of inbounds) {
    if (inbound.protocol !== 'shadowsocks-2022' || METHODS_2022.includes(inbound.method)) continue;
    const known = METHODS_2022.join(' or ');
    refuse(`inbound "${inbound.tag}": with method "${inbound.method}" the engine knows no users; use ${known}`);
  }
}

/** Throws CONFIG_REFUSED for users in the configuration whom the engine accepts but then ignores, mixes up or locks out. */
export function checkOwnUsers({ tag, protocol, tree, vision }: Inbound): void {
  if (!PROTOCOLS.includes(protocol)) return;
  const name = `inbound "${tag}"`;
  const settings = objectAt(tree, 'settings', 'settings');
  if (settings['users'] !== undefined && settings['clients'] === undefined) {
    refuse(`${name}: the engine reads settings.clients and would start without anybody of settings.users; rename it`);
  }
  const clients = objectsAt(settings, 'clients', `${name}: settings.clients`);
  if (protocol === 'shadowsocks') checkShadowsocks(name, settings, clients);
  if (protocol === 'vless' && !vision) checkFlows(name, settings, clients);
}

function checkShadowsocks(name: string, settings: JsonObject, clients: readonly JsonObject[]): void {
  const method = textAt(settings, 'method').toLowerCase();
  // With a list of users, even an empty one, the engine ignores the method and password of the inbound itself.
  if (!Array.isArray(settings['clients']) && !isShadowsocks2022(method) && OPEN_METHODS.includes(method)) {
    refuse(`${name}: method "${method}" lets in everybody who finds the port; use one that asks for a key`);
  }
  const seen = new Map<string, number>();
  for (const [index, client] of clients.entries()) {
    const email = foldCase(textAt(client, 'email'));
    const first = seen.get(email);
    if (email !== '' && first !== undefined) {
      refuse(`${name}: settings.clients[${index}] has the e-mail of settings.clients[${first}]`);
    }
    seen.set(email, index);
  }
}

function checkFlows(name: string, settings: JsonObject, clients: readonly JsonObject[]): void {
  const index = clients.findIndex((client) => (textAt(client, 'flow') || textAt(settings, 'flow')) === VISION);
  if (index < 0) return;
  refuse(
    `${name}: settings.clients[${index}] has the flow ${VISION}, which this transport does not carry; it takes raw with tls or reality`,
  );
}
