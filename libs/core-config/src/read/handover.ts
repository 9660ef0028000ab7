import type { Listen } from './listen.js';
import { type EngineNetwork, NETWORK_FACTS } from './networks.js';

/**
 * How an inbound passes from one process of the engine to the next.
 * - `shared`: both listen on its port for a while; nobody is refused and live connections stay with the old process. Its
 *   users can also be exchanged by a second inbound on the same port.
 * - `gapped`: two processes cannot serve it side by side; the new one takes it over when the old one has released it.
 * - `restart`: the engine's API cannot hand it over.
 */
export type Handover = 'shared' | 'gapped' | 'restart';

/**
 * Protocols that keep no state beside their connections. Datagrams of Shadowsocks, SOCKS and tunnels stand alone, so either
 * process can take them: a relayed flow only gets a new source port, as after any time of silence.
 */
const PLAIN_PROTOCOLS = [
  ...['vless', 'vmess', 'trojan', 'shadowsocks'],
  ...['socks', 'http', 'mixed', 'dokodemo-door', 'tunnel'],
];

/** The properties of an inbound that decide how it can be handed over. */
export interface Listener {
  readonly tag: string;
  readonly protocol: string;
  readonly network: EngineNetwork | undefined;
  readonly listen: Listen;
  /** Whether the inbound listens with QUIC only: the state of QUIC connections cannot be handed over. */
  readonly isHttp3: boolean;
}

/** Returns how an inbound is handed over. `sockopt` has no influence on shared ports; unknown transports are restarted. */
export function handoverOf({ tag, protocol, network, listen, isHttp3 }: Listener): Handover {
  // The API identifies inbounds by their tags.
  if (tag === '' || !PLAIN_PROTOCOLS.includes(protocol)) return 'restart';
  if (network === undefined || isHttp3) return 'restart';
  switch (NETWORK_FACTS[network].connections) {
    case 'alone':
      return 'restart';
    case 'mixed':
      return 'gapped';
    case 'apart':
      // A path has one socket only: a new process would wait for it, or not start.
      return listen.isSocket ? 'gapped' : 'shared';
  }
}
