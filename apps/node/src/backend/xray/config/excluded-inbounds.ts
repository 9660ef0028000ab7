import { foldCase } from '@rampart/core-config';
import { isShadowsocks2022 } from '@rampart/domain';
import { carriesVision } from './inbounds.js';
import { type JsonObject, objectAt, objectsAt, refuse, spellKeys, textAt } from './json-tree.js';

const PROTOCOLS = ['vless', 'vmess', 'trojan', 'shadowsocks', 'hysteria'];
const OPEN_METHODS = ['none', 'plain'];
const VISION = 'xtls-rprx-vision';

/** The users of an inbound that the configuration keeps itself. CONFIG_REFUSED for those that the engine takes and fails. */
export function checkOwnUsers(inbound: JsonObject): void {
  const protocol = textAt(inbound, 'protocol').toLowerCase();
  if (!PROTOCOLS.includes(protocol)) return;
  const name = `inbound "${textAt(inbound, 'tag')}"`;
  const settings = objectAt(inbound, 'settings', 'settings');
  if (settings['users'] !== undefined && settings['clients'] === undefined) {
    refuse(`${name}: the engine reads settings.clients and would start without anybody of settings.users; rename it`);
  }
  const clients = objectsAt(settings, 'clients', `${name}: settings.clients`).map((client, index) =>
    spellKeys(client, ['email', 'flow', 'reverse'], `${name}: settings.clients[${index}]`),
  );
  if (protocol === 'shadowsocks') checkShadowsocks(name, settings, clients);
  if (protocol === 'vless' && !carriesVision(inbound, settings)) checkFlows(name, settings, clients);
}

function checkShadowsocks(name: string, settings: JsonObject, clients: readonly JsonObject[]): void {
  const method = textAt(settings, 'method').toLowerCase();
  // With a list of users, even an empty one, the engine has no user of the inbound's own.
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
