import { isUnixSocket, readListen } from '../offer/fallback.js';
import { removedTransport } from '../offer/transport.js';
import type { JsonCursor } from '../read/json-cursor.js';
import { lenient } from '../read/lenient.js';
import { type PortRange, readPorts } from '../read/ports.js';
import type { CoreConfigWarning } from './warning.js';

/** What the engine's own check passes, and nodes refuse because it would not do what it says. */
export function engineWarnings(root: JsonCursor): CoreConfigWarning[] {
  return [...portWarnings(root.get('inbounds')), ...routingWarnings(root)];
}

interface Listener {
  readonly port: JsonCursor;
  readonly tag: string;
  readonly address: string;
  readonly isUdp: boolean;
  readonly ranges: readonly PortRange[];
}

/** Each inbound is compared with those before it. */
function portWarnings(inbounds: JsonCursor): CoreConfigWarning[] {
  const listeners = inbounds.items().flatMap((inbound) => lenient(() => readListener(inbound)) ?? []);
  return listeners.flatMap(({ port, tag, ...second }, index) => {
    const first = listeners.slice(0, index).find((other) => collide(other, { port, tag, ...second }));
    if (first === undefined) return [];
    const message = `port ${port.value} of inbound ${tag} is taken by inbound ${first.tag}: nodes refuse that`;
    return [{ path: port.path, code: 'port_twice' as const, message }];
  });
}

function readListener(inbound: JsonCursor): Listener | undefined {
  const port = inbound.get('port');
  const address = readListen(inbound);
  const ports = readPorts(port);
  const stream = inbound.get('streamSettings');
  if (ports === undefined || isUnixSocket(address) || removedTransport(stream) !== undefined) return undefined;
  const isUdp = /^(m?kcp|hysteria)$/i.test(stream.get('network').text());
  return { port, tag: inbound.get('tag').text(), address, isUdp, ranges: ports.ranges };
}

function collide(one: Listener, other: Listener): boolean {
  const sameAddress = one.address === other.address || isEverywhere(one.address) || isEverywhere(other.address);
  const meets = (range: PortRange) => other.ranges.some(({ from, to }) => from <= range.to && range.from <= to);
  return one.isUdp === other.isUdp && sameAddress && one.ranges.some(meets);
}

const isEverywhere = (address: string): boolean => ['', '0.0.0.0', '::', '[::]'].includes(address);

function routingWarnings(root: JsonCursor): CoreConfigWarning[] {
  const outbounds = tagsOf(root.get('outbounds'));
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

const LIST_KEYS = ['domain', 'domains', 'ip', 'source', 'sourceIP', 'localIP'];
/** `geoip:private` is written out by the node. */
const FROM_FILE = /^(geosite:|ext(-ip|-domain)?:|geoip:(?!!?private$))/i;

function geoLists(rule: JsonCursor): CoreConfigWarning[] {
  return LIST_KEYS.flatMap((key) => {
    const { value, path } = rule.get(key);
    const found = [value].flat().find((text) => typeof text === 'string' && FROM_FILE.test(text));
    if (found === undefined) return [];
    const message = `${found} comes from a file beside the engine: nodes without that file refuse the configuration`;
    return [{ path, code: 'geo_list' as const, message }];
  });
}
