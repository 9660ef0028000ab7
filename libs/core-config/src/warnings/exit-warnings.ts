import { blockedNetworks, networksHave } from '../networks/private-networks.js';
import { lenient } from '../read/attempt.js';
import { isJsonObject, type JsonCursor } from '../read/json-cursor.js';
import { namesUsers, PortalRules, portalsOf } from '../read/portals.js';
import type { CoreConfigWarning } from './warning.js';

/** Outbounds that connect to a server of the configuration, which then connects to what users ask for. */
const PROXIES = ['http', 'hysteria', 'shadowsocks', 'socks', 'trojan', 'vless', 'vmess', 'wireguard'];

/**
 * Warns of exits that open more than they seem to.
 *
 * @param offered the tags of the inbounds that users get
 */
export function exitWarnings(root: JsonCursor, offered: readonly string[]): CoreConfigWarning[] {
  return [...proxyWarnings(root), ...portalWarnings(root, offered)];
}

/** Warns of chained proxies on the machine of the node or in its networks: they are asked for names, which nodes do not judge. */
function proxyWarnings(root: JsonCursor): CoreConfigWarning[] {
  const blocked = blockedNetworks([]);
  return root
    .get('outbounds')
    .items()
    .filter((outbound) => PROXIES.includes(textOf(outbound.get('protocol')).toLowerCase()))
    .flatMap((outbound) => {
      const found = serversOf(outbound.get('settings')).find(({ host }) => isPrivate(host, blocked));
      if (found === undefined) return [];
      const message = `outbound ${textOf(outbound.get('tag'))} is a proxy at ${found.host}, a private address: users reach the machine and the networks of that proxy through it, by name and with later packets of UDP, unless it blocks private addresses itself`;
      return [{ path: found.cursor.path, code: 'private_proxy' as const, message }];
    });
}

interface Server {
  readonly cursor: JsonCursor;
  readonly host: string;
}

function serversOf(settings: JsonCursor): Server[] {
  const lists = ['vnext', 'servers'].flatMap((key) => lenient(() => settings.get(key).items()) ?? []);
  const peers = lenient(() => settings.get('peers').items()) ?? [];
  const servers = [settings, ...lists].map((cursor) => lenient(() => cursor.get('address')));
  const endpoints = peers.map((cursor) => lenient(() => cursor.get('endpoint')));
  return [...servers, ...endpoints].flatMap((cursor) => {
    const text = cursor && textOf(cursor);
    return text ? [{ cursor, host: endpoints.includes(cursor) ? text.replace(/:\d+$/, '') : text }] : [];
  });
}

function isPrivate(host: string, blocked: readonly string[]): boolean {
  const name = host.toLowerCase().replace(/\.$/, '');
  if (name === 'localhost' || name.endsWith('.localhost')) return true;
  return networksHave(blocked, name.replace(/^\[(.*)\]$/, '$1'));
}

/** Warns of rules with which any user becomes the bridge of a reverse portal. Nodes close what a rule for the bridge leaves open. */
function portalWarnings(root: JsonCursor, offered: readonly string[]): CoreConfigWarning[] {
  const tree = root.object();
  const rules = (lenient(() => root.get('routing').get('rules').items()) ?? []).flatMap((cursor) =>
    isJsonObject(cursor.value)
      ? [{ path: cursor.path, rule: cursor.value, tags: lenient(() => cursor.get('inboundTag').textList()) ?? [] }]
      : [],
  );
  return portalsOf(tree).flatMap((portal) => {
    const ways = new PortalRules(tree, portal);
    const hasOwnWay = rules.some(({ rule }) => ways.isForBridge(rule));
    return rules.flatMap(({ path, rule, tags }) => {
      const open = tags.length === 0 ? offered : offered.filter((tag) => tags.includes(tag));
      const isOpen = ways.admits(rule) && !namesUsers(rule) && open.length > 0;
      if (!isOpen || (hasOwnWay && !ways.isForBridge(rule))) return [];
      // The domain is a secret, and warnings are shown to whoever may read the core.
      const message = `users of inbound${open.length > 1 ? 's' : ''} ${open.join(', ')} who know the domain of the reverse portal ${portal.tag} become its bridge and get what others send there: let a rule lead the domain, as full:, there from the user of the bridge, or from an inbound that users do not get`;
      return [{ path, code: 'portal_open' as const, message }];
    });
  });
}

function textOf({ value }: JsonCursor): string {
  return typeof value === 'string' ? value : '';
}
