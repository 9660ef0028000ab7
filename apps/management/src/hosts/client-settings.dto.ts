import { MAX_INT32 } from '@rampart/domain';
import { IsDefined, IsIn, IsOptional, IsString, Matches } from 'class-validator';
import { AliasedAs } from '../validation/aliased-as.js';
import { oneOf, REQUIRED, STRING } from '../validation/messages.js';
import {
  MaxCharacters,
  ObjectList,
  OptionalBoolean,
  OptionalInteger,
  OptionalObject,
  OptionalOneOf,
  OptionalRange,
} from '../validation/rules.js';

const NOISE_TYPES = ['rand', 'str', 'base64', 'hex'];

/** Multiplexing of Xray. For null or absent members the client decides. */
export class XrayMux {
  /** Whether TCP connections share one connection. */
  @OptionalBoolean()
  enabled?: boolean | null;

  /** Maximum number of TCP connections that share one connection; -1: TCP is not shared. */
  @OptionalInteger(-1, 1024)
  concurrency?: number | null;

  /**
   * Maximum number of UDP connections that share one connection; -1: UDP is not shared. `xudp_concurrency` is another
   * name of it.
   */
  @OptionalInteger(-1, 1024)
  @AliasedAs('xudp_concurrency')
  xudpConcurrency?: number | null;

  /** The treatment of UDP to port 443. `xudp_proxy_udp_443` is another name of it. */
  @OptionalOneOf(['reject', 'allow', 'skip'])
  @AliasedAs('xudp_proxy_udp_443')
  xudpProxyUDP443?: string | null;
}

/** A fixed speed of shared connections. */
export class Brutal {
  /** Whether the speed is fixed. */
  @OptionalBoolean()
  enable?: boolean | null;

  /** Megabits per second towards the server. `upMbps` is another name of it. */
  @OptionalInteger(0, MAX_INT32)
  @AliasedAs('upMbps')
  up_mbps?: number | null;

  /** Megabits per second towards the client. `downMbps` is another name of it. */
  @OptionalInteger(0, MAX_INT32)
  @AliasedAs('downMbps')
  down_mbps?: number | null;
}

/** Multiplexing of sing-box. For null or absent members the client decides. */
export class SingBoxMux {
  /** Whether connections are multiplexed. */
  @OptionalBoolean()
  enable?: boolean | null;

  /** The multiplexing protocol. */
  @OptionalOneOf(['smux', 'yamux', 'h2mux'])
  protocol?: string | null;

  /** Maximum number of connections to the server. `maxConnections` is another name of it. */
  @OptionalInteger(0, MAX_INT32)
  @AliasedAs('maxConnections')
  max_connections?: number | null;

  /** Maximum number of streams in a connection before another one is opened. `maxStreams` is another name of it. */
  @OptionalInteger(0, MAX_INT32)
  @AliasedAs('maxStreams')
  max_streams?: number | null;

  /** Minimum number of streams in a connection before another one is opened. `minStreams` is another name of it. */
  @OptionalInteger(0, MAX_INT32)
  @AliasedAs('minStreams')
  min_streams?: number | null;

  /** Whether packets are padded. */
  @OptionalBoolean()
  padding?: boolean | null;

  /** A fixed speed of the shared connections. */
  @OptionalObject(() => Brutal)
  brutal?: Brutal | null;
}

/** Multiplexing of Clash and mihomo. For null or absent members the client decides. */
export class ClashMux extends SingBoxMux {
  /** Whether the client shows the shared connections in its statistics. */
  @OptionalBoolean()
  statistic?: boolean | null;

  /** Whether only TCP is multiplexed. `onlyTcp` is another name of it. */
  @OptionalBoolean()
  @AliasedAs('onlyTcp')
  only_tcp?: boolean | null;
}

/** Multiplexing by client engine; the contract calls the three `engine_1`, `engine_2` and `engine_3`. */
export class MuxSettings {
  /** Multiplexing for Xray. `engine_1` is another name of it. */
  @OptionalObject(() => XrayMux)
  @AliasedAs('engine_1', () => XrayMux)
  xray?: XrayMux | null;

  /** Multiplexing for sing-box. `engine_2` and `singBox` are other names of it. */
  @OptionalObject(() => SingBoxMux)
  @AliasedAs(['engine_2', 'singBox'], () => SingBoxMux)
  sing_box?: SingBoxMux | null;

  /** Multiplexing for Clash and mihomo. `engine_3` is another name of it. */
  @OptionalObject(() => ClashMux)
  @AliasedAs('engine_3', () => ClashMux)
  clash?: ClashMux | null;
}

/** Fragmentation of the first packets by Xray. */
export class XrayFragment {
  /** The packets that are fragmented: `tlshello`, or a range of their numbers such as `1-3`. */
  @Matches(/^(tlshello|\d{1,4}(-\d{1,4})?)$/, { message: "Input should be 'tlshello' or a range such as '1-3'" })
  @IsOptional()
  packets?: string | null;

  /** Bytes of a fragment, or a range such as `100-200`. */
  @OptionalRange()
  length?: number | string | null;

  /** Milliseconds between fragments, or a range such as `10-20`. */
  @OptionalRange()
  interval?: number | string | null;
}

/** Fragmentation of the TLS handshake by sing-box. */
export class SingBoxFragment {
  /** Whether the handshake is split into TCP segments. */
  @OptionalBoolean()
  fragment?: boolean | null;

  /**
   * The delay between segments where the system does not report their acknowledgement, such as `500ms`.
   * `fragmentFallbackDelay` is another name of it.
   */
  @Matches(/^\d{1,9}(ms|s)$/, { message: "Input should be a duration such as '500ms'" })
  @IsOptional()
  @AliasedAs('fragmentFallbackDelay')
  fragment_fallback_delay?: string | null;

  /** Whether the handshake is split into TLS records. `recordFragment` is another name of it. */
  @OptionalBoolean()
  @AliasedAs('recordFragment')
  record_fragment?: boolean | null;
}

/** Fragmentation of the first packets, by client program. */
export class FragmentSettings {
  /** Fragmentation for Xray. `engine_1` is another name of it. */
  @OptionalObject(() => XrayFragment)
  @AliasedAs('engine_1', () => XrayFragment)
  xray?: XrayFragment | null;

  /** Fragmentation for sing-box. `engine_2` and `singBox` are other names of it. */
  @OptionalObject(() => SingBoxFragment)
  @AliasedAs(['engine_2', 'singBox'], () => SingBoxFragment)
  sing_box?: SingBoxFragment | null;
}

/** A noise packet that Xray sends before the first real ones. */
export class XrayNoise {
  /** The encoding of `packet`. */
  @IsIn(NOISE_TYPES, oneOf(NOISE_TYPES))
  @IsDefined(REQUIRED)
  type: string;

  /** The packet: for `rand` its length or a range of lengths, otherwise its content. */
  @MaxCharacters(4096)
  @IsString(STRING)
  @IsDefined(REQUIRED)
  packet: string;

  /** Milliseconds to wait after the packet, or a range such as `10-20`. */
  @OptionalRange()
  delay?: number | string | null;

  /** The kind of addresses to which the packet is sent. `applyTo` is another name of it. */
  @OptionalOneOf(['ip', 'ipv4', 'ipv6'])
  @AliasedAs('applyTo')
  apply_to?: string | null;
}

/** Noise before the first packets, by client program. */
export class NoiseSettings {
  /** The packets for Xray. `engine_1` is another name of it. */
  @ObjectList(() => XrayNoise, 100)
  @IsOptional()
  @AliasedAs('engine_1', () => XrayNoise)
  xray?: XrayNoise[] | null;
}
