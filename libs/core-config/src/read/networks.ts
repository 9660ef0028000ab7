import type { JsonCursor } from './json-cursor.js';

/** Transports of the engine that users can be served over, under one name each. */
export const NETWORKS = ['tcp', 'ws', 'grpc', 'httpupgrade', 'xhttp', 'kcp'] as const;
export type Network = (typeof NETWORKS)[number];

/** Transports that the engine had once. Configurations with them are kept, but neither nodes nor clients get them. */
export const REMOVED_NETWORKS = ['quic', 'http', 'h2', 'h3'] as const;
export type RemovedNetwork = (typeof REMOVED_NETWORKS)[number];

/** Every transport that a configuration can name. */
export type EngineNetwork = Network | RemovedNetwork | 'hysteria';

/** The names of a transport, and how its listener behaves. */
export interface NetworkFacts {
  /** What `streamSettings.network` may say, in lower case; the engine ignores case. */
  readonly aliases: readonly string[];
  /** Members of `streamSettings` that can hold its settings; the first one that is given counts. */
  readonly settings: readonly [string, ...string[]];
  /** The transport protocol of its listeners; xhttp over HTTP/3 listens on UDP instead. */
  readonly listensOn: 'tcp' | 'udp';
  /**
   * What a second listener on the same port means for live connections: each stays with the listener that accepted it
   * (`apart`), requests of one session reach both listeners or are cut (`mixed`), or no second one is possible (`alone`).
   */
  readonly connections: 'apart' | 'mixed' | 'alone';
}

const removed = (name: string, ...settings: [string, ...string[]]): NetworkFacts => ({
  ...{ aliases: [name], settings, listensOn: 'tcp', connections: 'alone' },
});

/** The only table of transports. `gun` is an old name that the engine no longer accepts: nodes and clients get `grpc`. */
export const NETWORK_FACTS: Readonly<Record<EngineNetwork, NetworkFacts>> = {
  tcp: {
    aliases: ['tcp', 'raw'],
    settings: ['rawSettings', 'tcpSettings'],
    listensOn: 'tcp',
    connections: 'apart',
  },
  ws: { aliases: ['ws', 'websocket'], settings: ['wsSettings'], listensOn: 'tcp', connections: 'apart' },
  grpc: {
    aliases: ['grpc', 'gun'],
    settings: ['grpcSettings', 'gunSettings'],
    listensOn: 'tcp',
    connections: 'mixed',
  },
  httpupgrade: {
    aliases: ['httpupgrade'],
    settings: ['httpupgradeSettings'],
    listensOn: 'tcp',
    connections: 'apart',
  },
  xhttp: {
    aliases: ['xhttp', 'splithttp'],
    settings: ['xhttpSettings', 'splithttpSettings'],
    listensOn: 'tcp',
    connections: 'mixed',
  },
  kcp: { aliases: ['kcp', 'mkcp'], settings: ['kcpSettings'], listensOn: 'udp', connections: 'mixed' },
  quic: removed('quic', 'quicSettings'),
  http: removed('http', 'httpSettings'),
  h2: removed('h2', 'h2Settings', 'httpSettings'),
  h3: removed('h3', 'h3Settings', 'httpSettings'),
  hysteria: { aliases: ['hysteria'], settings: ['hysteriaSettings'], listensOn: 'udp', connections: 'alone' },
};

const BY_ALIAS: ReadonlyMap<string, EngineNetwork> = new Map<string, EngineNetwork>([
  ['', 'tcp'],
  ...(Object.keys(NETWORK_FACTS) as EngineNetwork[]).flatMap((network) =>
    NETWORK_FACTS[network].aliases.map((alias): [string, EngineNetwork] => [alias, network]),
  ),
]);

/** Returns the transport that a text names in any case; an empty text names tcp. Undefined for an unknown one. */
export function networkOf(name: string): EngineNetwork | undefined {
  return BY_ALIAS.get(name.toLowerCase());
}

/** Returns the settings of a transport in `streamSettings`, absent where none are given. */
export function networkSettings(stream: JsonCursor, network: EngineNetwork): JsonCursor {
  return stream.getFirst(...NETWORK_FACTS[network].settings);
}
