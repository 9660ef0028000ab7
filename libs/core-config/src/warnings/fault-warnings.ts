import { removedTransport } from '../offer/transport.js';
import { lenient } from '../read/attempt.js';
import type { Inbound } from '../read/inbound.js';
import { isJsonObject, JsonCursor } from '../read/json-cursor.js';
import { type EngineNetwork, REMOVED_NETWORKS } from '../read/networks.js';
import { waysTo } from '../read/portals.js';
import { nameInbounds } from './name-inbounds.js';
import type { CoreConfigWarning } from './warning.js';

const ENDS = 'end the engine, and with it all connections of the node,';

/**
 * Warns of faults of the engine that users or strangers can use against nodes. No version is known in which they are mended.
 *
 * @param inbounds all inbounds, also those that users do not get
 * @param offered the tags of the inbounds that users get
 */
export function faultWarnings(
  root: JsonCursor,
  inbounds: readonly Inbound[],
  offered: readonly string[],
): CoreConfigWarning[] {
  return [...sniffingWarnings(inbounds), ...dnsWarnings(root, offered), ...kcpWarnings(inbounds)];
}

/** Warns of sniffing, which reads packets of QUIC before any rule sees them (Xray-core #5864). */
function sniffingWarnings(inbounds: readonly Inbound[]): CoreConfigWarning[] {
  const affected = inbounds.filter(readsQuic);
  const [first] = affected;
  if (first === undefined) return [];
  const message = `users of ${nameInbounds(affected)} can ${ENDS} with one crafted packet of QUIC, which sniffing reads: set metadataOnly in sniffing, or enabled to false, wherever no rule needs names or protocols that are sniffed`;
  return [{ path: `${first.path}.sniffing`, code: 'sniffing_fault', message }];
}

/** Also an inbound without UDP gets packets, in connections of mux. A tunnel over TCP has one target, which is not mux. */
function readsQuic({ tree, protocol, transports, network }: Inbound): boolean {
  const { sniffing } = tree;
  if (!isJsonObject(sniffing) || sniffing['enabled'] !== true || sniffing['metadataOnly'] === true) return false;
  const isTunnel = ['dokodemo-door', 'tunnel'].includes(protocol);
  return !(isTunnel && !transports.includes('udp')) && !isRemoved(network);
}

const isRemoved = (network: EngineNetwork | undefined): boolean =>
  REMOVED_NETWORKS.some((removed) => removed === network);

/** Warns of mKCP, which answers and keeps what it gets before it knows of whom it is. */
function kcpWarnings(inbounds: readonly Inbound[]): CoreConfigWarning[] {
  const streams = inbounds.flatMap((inbound) => {
    const stream = new JsonCursor(inbound.tree).get('streamSettings');
    return inbound.network === 'kcp' && removedTransport(stream) === undefined ? [{ inbound, stream }] : [];
  });
  const open = streams.filter(({ stream }) => !hasPassword(stream));
  const sealed = streams.filter((each) => !open.includes(each));
  return [
    ...kcpWarning(open, 'whoever reaches', `, add the mask ${SEALING_MASK} with a password to finalmask.udp`),
    ...kcpWarning(sealed, 'whoever knows the password of the mask of', ''),
  ];
}

function kcpWarning(streams: readonly { inbound: Inbound }[], who: string, also: string): CoreConfigWarning[] {
  const [first, ...others] = streams.map(({ inbound }) => inbound);
  if (first === undefined) return [];
  const message = `${who} ${nameInbounds([first, ...others])} can have nodes send 70 times as many bytes to any address, and fill their memory, without a credential of a user: use another transport${also}, or limit in the firewall what one address gets`;
  return [{ path: `${first.path}.streamSettings`, code: 'kcp_strangers', message }];
}

/** The mask that drops what was not made with its password. Others with a password, such as salamander, check nothing. */
const SEALING_MASK = 'mkcp-aes128gcm';

function hasPassword(stream: JsonCursor): boolean {
  const masks = lenient(() => stream.get('finalmask').get('udp').objects()) ?? [];
  return masks.some((mask) => {
    const password = lenient(() => mask.get('settings').get('password').text()) ?? '';
    return password !== '' && String(mask.get('type').value).toLowerCase() === SEALING_MASK;
  });
}

/** Warns of outbounds that answer users what a server says that has no limit of length for its answers. */
function dnsWarnings(root: JsonCursor, offered: readonly string[]): CoreConfigWarning[] {
  const server = unlimitedServer(root);
  const tag = server && reachableDns(root, offered);
  if (server === undefined || tag === undefined) return [];
  const message = `users who reach outbound ${tag} can ${ENDS} with a name that has hundreds of addresses, because ${server.name} has no limit for an answer: name a server by its address, or by tcp:// or tcp+local://`;
  return [{ path: server.path, code: 'dns_fault', message }];
}

/** Returns the first server that is asked over DoH or is the resolver of the system, as it is where none is named. */
function unlimitedServer(root: JsonCursor): { readonly path: string; readonly name: string } | undefined {
  const servers = lenient(() => root.get('dns').get('servers').items()) ?? [];
  if (servers.length === 0) return { path: 'dns.servers', name: 'the resolver of the system' };
  return servers.flatMap(({ path, value }) => {
    const name = isJsonObject(value) ? value['address'] : value;
    if (typeof name !== 'string') return [];
    // The path of a URL is a secret, and warnings are shown to whoever may read the core.
    if (/^(https|h2c)(\+local)?:/i.test(name)) return [{ path, name: 'a server over DoH' }];
    return name.toLowerCase() === 'localhost' ? [{ path, name: 'the resolver of the system' }] : [];
  })[0];
}

/** Returns the tag of an outbound for DNS to which a rule leads users, or which is the first of all. */
function reachableDns(root: JsonCursor, offered: readonly string[]): string | undefined {
  const tree = root.object();
  const outbounds = root.get('outbounds').items();
  const loops = outbounds.flatMap((outbound) => {
    const tag = lenient(() => outbound.get('settings').get('inboundTag').text());
    return isOf(outbound, 'loopback') && tag !== undefined ? [tag] : [];
  });
  const rules = (lenient(() => root.get('routing').get('rules').items()) ?? []).flatMap((cursor) => {
    const tags = lenient(() => cursor.get('inboundTag').textList()) ?? [];
    const isForUsers = tags.length === 0 || tags.some((tag) => offered.includes(tag) || loops.includes(tag));
    return isForUsers && isJsonObject(cursor.value) ? [cursor.value] : [];
  });
  const found = outbounds.find((outbound, index) => {
    if (!isOf(outbound, 'dns')) return false;
    const ways = waysTo(String(outbound.get('tag').value), tree);
    return index === 0 || rules.some((rule) => ways.has(rule['outboundTag'] || rule['balancerTag']));
  });
  return found && String(found.get('tag').value);
}

const isOf = (outbound: JsonCursor, protocol: string): boolean =>
  String(outbound.get('protocol').value).toLowerCase() === protocol;
