import { isHttp3 } from './endpoints.js';
import { type JsonObject, objectAt, textAt } from './json-tree.js';

/**
 * How an inbound passes from one process of the engine to the next.
 * - `shared`: both listen on its port for a while; nobody is refused and live connections stay with the old process.
 * - `gapped`: two processes cannot serve it side by side; the new one takes it over when the old one has let go.
 * - `restart`: the API cannot hand it over.
 */
export type Handover = 'shared' | 'gapped' | 'restart';

/**
 * Datagrams of Shadowsocks, SOCKS and tunnels are shared too: each one stands alone, so either process can take it, and
 * a relayed flow only gets a new source port, as after any time of silence.
 */
const PLAIN_PROTOCOLS = [
  'vless',
  'vmess',
  'trojan',
  'shadowsocks',
  'socks',
  'http',
  'mixed',
  'dokodemo-door',
  'tunnel',
];

/** Each connection is one TCP connection, which stays where it was accepted. */
const ONE_TO_ONE = ['', 'raw', 'tcp', 'ws', 'websocket', 'httpupgrade'];

/**
 * grpc and kcp lose live connections when they stop listening; the requests of one xhttp session spread over both
 * processes, and its live HTTP/2 connections would keep asking the old one with its old users.
 */
const MANY_TO_ONE = ['grpc', 'xhttp', 'splithttp', 'kcp', 'mkcp'];

/** The engine shares its ports whatever `sockopt` says. What we do not know is restarted. */
export function handoverOf(inbound: JsonObject): Handover {
  // Without a tag the API cannot name it; hysteria, WireGuard, TUN and HTTP/3 keep state that no listener hands over.
  if (textAt(inbound, 'tag') === '') return 'restart';
  if (!PLAIN_PROTOCOLS.includes(textAt(inbound, 'protocol').toLowerCase())) return 'restart';
  const stream = objectAt(inbound, 'streamSettings', 'streamSettings');
  const network = textAt(stream, 'network').toLowerCase();
  if (isHttp3(stream)) return 'restart';
  if (MANY_TO_ONE.includes(network)) return 'gapped';
  if (!ONE_TO_ONE.includes(network)) return 'restart';
  // Of a path there is only one: the new process would wait for it, or not start.
  return isPath(textAt(inbound, 'listen')) ? 'gapped' : 'shared';
}

function isPath(listen: string): boolean {
  return listen.startsWith('/') || listen.startsWith('@');
}
