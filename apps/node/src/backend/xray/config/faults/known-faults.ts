import { isIP } from 'node:net';
import { networksHave } from '@rampart/core-config';
import { isShadowsocks2022 } from '@rampart/domain';
import { isObject, type JsonObject } from '../json-tree.js';
import { innerAt, valueAt, withMembers, wordAt } from '../private/folded.js';

/** A fault of the engine by which a user can end it, and with it all connections. */
export interface KnownFault {
  /** Its name in metrics, in the log and on the disk. */
  readonly name: string;
  /** A function of the engine that is in the stack trace of this fault and of no other. */
  readonly function: RegExp;
  /** Returns the configuration without the feature that has the fault. */
  leaveOut(tree: JsonObject): JsonObject;
  /** What is different without the feature, in words for operators. */
  readonly effect: string;
  /** What has ended the engine, in words for operators. */
  readonly cause: string;
}

/** Known faults of Xray-core 26.3.27. */
export const KNOWN_FAULTS: readonly KnownFault[] = [
  {
    name: 'shadowsocks-2022-udp',
    function:
      /^github\.com\/(?:xtls\/xray-core\/proxy\/shadowsocks_2022\.\(\*\w*Inbound\)\.NewPacketConnection|sagernet\/sing-shadowsocks\/shadowaead_2022\.\(\*\w*Service(?:\[\.\.\.\])?\)\.[nN]ewPacket)\(/,
    leaveOut: (tree) =>
      withItems(tree, 'inbounds', (inbound) => {
        const settings = innerAt(inbound, 'settings');
        const isAffected =
          wordAt(inbound, 'protocol').toLowerCase() === 'shadowsocks' && isShadowsocks2022(wordAt(settings, 'method'));
        return isAffected ? withMembers(inbound, { settings: withMembers(settings, { network: 'tcp' }) }) : inbound;
      }),
    effect: 'inbounds of Shadowsocks 2022 take no UDP',
    cause: 'a UDP packet to one of them',
  },
  {
    name: 'quic-sniffing',
    function: /^github\.com\/xtls\/xray-core\/common\/protocol\/quic\.SniffQUIC\(/,
    // The engine sniffs TCP and UDP of an inbound, or neither.
    leaveOut: (tree) => withMembers(tree, present(tree, ['inbounds', 'outbounds'], withoutContent)),
    effect: 'sniffing reads no contents (metadataOnly), so rules see no sniffed domains and protocols',
    cause: 'a QUIC packet that was sniffed',
  },
  {
    name: 'dns-answer',
    function: /^github\.com\/xtls\/xray-core\/proxy\/dns\.\(\*Handler\)\.handleIPQuery\(/,
    leaveOut: (tree) => {
      const server = plainServer(tree);
      return withItems(tree, 'outbounds', (outbound) =>
        wordAt(outbound, 'protocol').toLowerCase() === 'dns' ? withoutAnswers(outbound, server) : outbound,
      );
    },
    effect:
      'outbounds "dns" pass what they get on to their own "address" or to the first server of "dns" that is a plain address, and nothing without one',
    cause: 'a name with hundreds of addresses that one of them was asked for',
  },
];

/** The faults with these names; unknown ones are ignored. */
export const faultsNamed = (names: readonly string[]): KnownFault[] =>
  KNOWN_FAULTS.filter(({ name }) => names.includes(name));

/** The fault in whose code the engine panicked. @param frames the functions of the stack trace */
export const faultOf = (frames: readonly string[]): KnownFault | undefined =>
  KNOWN_FAULTS.find((fault) => frames.some((frame) => fault.function.test(frame)));

function withItems(tree: JsonObject, key: string, edit: (item: JsonObject) => JsonObject): JsonObject {
  const editAll = (list: unknown) =>
    Array.isArray(list) ? list.map((item: unknown) => (isObject(item) ? edit(item) : item)) : list;
  return withMembers(tree, present(tree, [key], editAll));
}

/** The edited values of those keys that are there. */
function present(tree: JsonObject, keys: readonly string[], edit: (value: unknown) => unknown): JsonObject {
  const found = keys.filter((key) => valueAt(tree, key) !== undefined);
  return Object.fromEntries(found.map((key) => [key, edit(valueAt(tree, key))]));
}

/** The value in which all sniffing reads metadata alone; outbounds of a reverse bridge sniff too. */
function withoutContent(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutContent);
  if (!isObject(value)) return value;
  const edited = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutContent(item)]));
  const sniffing = valueAt(edited, 'sniffing');
  if (!isObject(sniffing) || valueAt(sniffing, 'enabled') !== true) return edited;
  return withMembers(edited, { sniffing: withMembers(sniffing, { metadataOnly: true }) });
}

const DNS_PORT = 53;
/** To these a `freedom` does not lead: it goes on to the target. */
const NO_REDIRECTION = ['0.0.0.0/32', '::/128'];

/** A server of DNS that takes questions as they are. */
interface DnsServer {
  readonly address: string;
  readonly port: number;
}

/** The first server for all names that is asked at a plain address. */
function plainServer(tree: JsonObject): DnsServer | undefined {
  const servers = valueAt(innerAt(tree, 'dns'), 'servers');
  return (Array.isArray(servers) ? servers : []).flatMap((given: unknown) => {
    const server = isObject(given) ? given : { address: given };
    const address = hostOf(server);
    return isIP(address) > 0 && !isForSome(server) ? [{ address, port: portOf(server) }] : [];
  })[0];
}

/** Whether a server is for chosen names alone, such as those of a private network. */
function isForSome(server: JsonObject): boolean {
  const domains = valueAt(server, 'domains');
  return valueAt(server, 'skipFallback') === true || (Array.isArray(domains) ? domains.length > 0 : Boolean(domains));
}

const hostOf = (object: JsonObject): string =>
  wordAt(object, 'address')
    .trim()
    .replace(/^\[(.*)\]$/, '$1');

function portOf(object: JsonObject): number {
  const port = valueAt(object, 'port');
  return typeof port === 'number' && port > 0 ? port : DNS_PORT;
}

/**
 * What becomes of a `dns`. A `freedom` passes on what is no question too, so that it has to lead to one server: towards
 * targets that users choose it would be a way out that the configuration does not have.
 */
function withoutAnswers(outbound: JsonObject, server: DnsServer | undefined): JsonObject {
  const settings = innerAt(outbound, 'settings');
  const own = hostOf(settings);
  const to = own === '' ? server : { address: own, port: portOf(settings) };
  if (to === undefined || networksHave(NO_REDIRECTION, to.address))
    return withMembers(outbound, { protocol: 'blackhole', settings: {} });
  const host = isIP(to.address) === 6 ? `[${to.address}]` : to.address;
  return withMembers(outbound, { protocol: 'freedom', settings: { redirect: `${host}:${to.port}` } });
}
