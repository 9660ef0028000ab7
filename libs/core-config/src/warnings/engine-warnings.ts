import { removedTransport } from '../offer/transport.js';
import { lenient } from '../read/attempt.js';
import { foldCase } from '../read/fold-case.js';
import { type Inbound, readInbound } from '../read/inbound.js';
import type { JsonCursor } from '../read/json-cursor.js';
import { machineAccess } from '../read/machine-access.js';
import { portalsOf } from '../read/portals.js';
import type { PortRange } from '../read/ports.js';
import type { CoreConfigWarning } from './warning.js';

const BOTH_WAYS = ['http', 'hysteria', 'shadowsocks', 'socks', 'trojan', 'vless', 'vmess', 'wireguard'];
/** What the pinned engine speaks, in any case of letters (`xray run -test`). */
const PROTOCOLS = {
  inbounds: [...BOTH_WAYS, 'dokodemo-door', 'mixed', 'tun', 'tunnel'],
  outbounds: [...BOTH_WAYS, 'blackhole', 'block', 'direct', 'dns', 'freedom', 'loopback'],
} as const;

/** Warns of settings with which nodes refuse a configuration, because the engine does not know or would not obey them. */
export function engineWarnings(root: JsonCursor): CoreConfigWarning[] {
  const [inbounds, outbounds] = [root.get('inbounds'), root.get('outbounds')];
  return [
    ...protocolWarnings(inbounds, 'inbounds'),
    ...protocolWarnings(outbounds, 'outbounds'),
    ...portWarnings(inbounds),
    ...routingWarnings(root),
    ...accessWarnings(root),
  ];
}

/** Warns of settings that would use the machine of a node for more than connections. */
function accessWarnings(root: JsonCursor): CoreConfigWarning[] {
  return [...machineAccess(root.object())].map(({ path, problem }) => {
    return { path, code: 'machine_access', message: `${path} ${problem}: nodes refuse it` };
  });
}

/** Warns of each protocol that the engine does not speak in this direction; a newer engine may. */
function protocolWarnings(list: JsonCursor, direction: keyof typeof PROTOCOLS): CoreConfigWarning[] {
  const known: readonly string[] = PROTOCOLS[direction];
  return (lenient(() => list.items()) ?? []).flatMap((item) => {
    const { value, path } = item.get('protocol');
    if (typeof value !== 'string' || value === '' || known.includes(value.toLowerCase())) return [];
    const message = `the engine has no protocol ${value} for ${direction}, so nodes refuse the configuration; it has ${[...known].sort().join(', ')}`;
    return [{ path, code: 'protocol_unknown' as const, message }];
  });
}

/** Warns of each inbound that uses a port of an earlier inbound. */
function portWarnings(inbounds: JsonCursor): CoreConfigWarning[] {
  const listeners = inbounds.items().flatMap((cursor) => lenient(() => readListener(cursor)) ?? []);
  return listeners.flatMap((inbound, index) => {
    const first = listeners.slice(0, index).find((other) => collide(other, inbound));
    if (first === undefined) return [];
    const message = `port ${inbound.tree['port']} of inbound ${inbound.tag} is taken by inbound ${first.tag}: nodes refuse that`;
    return [{ path: `${inbound.path}.port`, code: 'port_twice' as const, message }];
  });
}

/** Reads an inbound; undefined for an inbound that is not sent to nodes. */
function readListener(cursor: JsonCursor): Inbound | undefined {
  return removedTransport(cursor.get('streamSettings')) === undefined ? readInbound(cursor) : undefined;
}

function collide(one: Inbound, other: Inbound): boolean {
  const [address, otherAddress] = [one.listen.address, other.listen.address];
  const sameAddress = address === otherAddress || isEverywhere(address) || isEverywhere(otherAddress);
  const sameTransport = one.transports.some((transport) => other.transports.includes(transport));
  const meets = (range: PortRange) => other.ports.some(({ from, to }) => from <= range.to && range.from <= to);
  return sameTransport && sameAddress && one.ports.some(meets);
}

const isEverywhere = (address: string): boolean => ['', '0.0.0.0', '::', '[::]'].includes(address);

function routingWarnings(root: JsonCursor): CoreConfigWarning[] {
  const portals = portalsOf(root.object()).map(({ tag }) => tag);
  const outbounds = new Set([...tagsOf(root.get('outbounds')), ...portals]);
  const routing = lenient(() => ({
    rules: root.get('routing').get('rules').items(),
    balancers: tagsOf(root.get('routing').get('balancers')),
  }));
  return (routing?.rules ?? []).flatMap(
    (rule) =>
      lenient(() => [
        ...unknownTarget(rule.get('outboundTag'), outbounds, 'outbound'),
        ...unknownTarget(rule.get('balancerTag'), routing?.balancers, 'balancer'),
        ...geoLists(rule),
      ]) ?? [],
  );
}

const tagsOf = (list: JsonCursor): Set<string> => new Set(list.items().map((item) => item.get('tag').text()));

function unknownTarget(tag: JsonCursor, known: ReadonlySet<string> | undefined, what: string): CoreConfigWarning[] {
  const name = tag.text();
  if (name === '' || known?.has(name)) return [];
  const message = `there is no ${what} ${name}: the engine would drop what this rule matches, so nodes refuse it`;
  return [{ path: tag.path, code: 'target_unknown', message }];
}

const LIST_KEYS = ['domain', 'domains', 'ip', 'source', 'sourceip', 'localip'];
/** Matches lists in geo files. `geoip:private` needs no file: nodes write its addresses into the rule. */
const FROM_FILE = /^(geosite:|ext(-ip|-domain)?:|geoip:(?!!?private$))/i;

function geoLists(rule: JsonCursor): CoreConfigWarning[] {
  const keys = Object.keys(rule.object()).filter((key) => LIST_KEYS.includes(foldCase(key)));
  return keys.flatMap((key) => {
    const { value, path } = rule.get(key);
    const found = [value].flat().find((text) => typeof text === 'string' && FROM_FILE.test(text));
    if (found === undefined) return [];
    const message = `${found} comes from a file beside the engine: nodes without that file refuse the configuration`;
    return [{ path, code: 'geo_list' as const, message }];
  });
}
