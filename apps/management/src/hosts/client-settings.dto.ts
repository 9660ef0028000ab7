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

/** Multiplexing of Xray. What is null or absent is left to the client. */
export class XrayMux {
  /** Whether connections share one. */
  @OptionalBoolean()
  enabled?: boolean | null;

  /** How many connections share one; -1: TCP is not shared. */
  @OptionalInteger(-1, 1024)
  concurrency?: number | null;

  /** The same for UDP; -1: UDP is not shared. `xudp_concurrency` is another name of it. */
  @OptionalInteger(-1, 1024)
  @AliasedAs('xudp_concurrency')
  xudpConcurrency?: number | null;

  /** What becomes of UDP to port 443. `xudp_proxy_udp_443` is another name of it. */
  @OptionalOneOf(['reject', 'allow', 'skip'])
  @AliasedAs('xudp_proxy_udp_443')
  xudpProxyUDP443?: string | null;
}

/** A fixed speed for shared connections. */
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

/** Multiplexing of sing-box. What is null or absent is left to the client. */
export class SingBoxMux {
  /** Whether connections share some. */
  @OptionalBoolean()
  enable?: boolean | null;

  /** The protocol in which they share. */
  @OptionalOneOf(['smux', 'yamux', 'h2mux'])
  protocol?: string | null;

  /** The largest number of connections to the server. `maxConnections` is another name of it. */
  @OptionalInteger(0, MAX_INT32)
  @AliasedAs('maxConnections')
  max_connections?: number | null;

  /** How many may share one before another is opened. `maxStreams` is another name of it. */
  @OptionalInteger(0, MAX_INT32)
  @AliasedAs('maxStreams')
  max_streams?: number | null;

  /** How many share one at least before another is opened. `minStreams` is another name of it. */
  @OptionalInteger(0, MAX_INT32)
  @AliasedAs('minStreams')
  min_streams?: number | null;

  /** Whether packets are filled up. */
  @OptionalBoolean()
  padding?: boolean | null;

  /** A fixed speed. */
  @OptionalObject(() => Brutal)
  brutal?: Brutal | null;
}

/** Multiplexing of Clash and mihomo. What is null or absent is left to the client. */
export class ClashMux extends SingBoxMux {
  /** Whether the client shows the shared connections. */
  @OptionalBoolean()
  statistic?: boolean | null;

  /** Whether only TCP is shared. `onlyTcp` is another name of it. */
  @OptionalBoolean()
  @AliasedAs('onlyTcp')
  only_tcp?: boolean | null;
}

/** Per client engine; the contract calls the three `engine_1`, `engine_2` and `engine_3`. */
export class MuxSettings {
  /** For Xray. `engine_1` is another name of it. */
  @OptionalObject(() => XrayMux)
  @AliasedAs('engine_1', () => XrayMux)
  xray?: XrayMux | null;

  /** For sing-box. `engine_2` and `singBox` are other names of it. */
  @OptionalObject(() => SingBoxMux)
  @AliasedAs(['engine_2', 'singBox'], () => SingBoxMux)
  sing_box?: SingBoxMux | null;

  /** For Clash and mihomo. `engine_3` is another name of it. */
  @OptionalObject(() => ClashMux)
  @AliasedAs('engine_3', () => ClashMux)
  clash?: ClashMux | null;
}

/** How Xray cuts its first packets. */
export class XrayFragment {
  /** Which packets are cut: `tlshello`, or a range of their numbers such as `1-3`. */
  @Matches(/^(tlshello|\d{1,4}(-\d{1,4})?)$/, { message: "Input should be 'tlshello' or a range such as '1-3'" })
  @IsOptional()
  packets?: string | null;

  /** Bytes of a piece, or a range such as `100-200`. */
  @OptionalRange()
  length?: number | string | null;

  /** Milliseconds between pieces, or a range such as `10-20`. */
  @OptionalRange()
  interval?: number | string | null;
}

/** How sing-box cuts the TLS handshake. */
export class SingBoxFragment {
  /** Whether it is cut into TCP segments. */
  @OptionalBoolean()
  fragment?: boolean | null;

  /**
   * How long it waits where the system cannot tell of segments, such as `500ms`. `fragmentFallbackDelay` is another
   * name of it.
   */
  @Matches(/^\d{1,9}(ms|s)$/, { message: "Input should be a duration such as '500ms'" })
  @IsOptional()
  @AliasedAs('fragmentFallbackDelay')
  fragment_fallback_delay?: string | null;

  /** Whether it is cut into TLS records. `recordFragment` is another name of it. */
  @OptionalBoolean()
  @AliasedAs('recordFragment')
  record_fragment?: boolean | null;
}

/** Fragmentation of the first packets, by client program. */
export class FragmentSettings {
  /** For Xray. `engine_1` is another name of it. */
  @OptionalObject(() => XrayFragment)
  @AliasedAs('engine_1', () => XrayFragment)
  xray?: XrayFragment | null;

  /** For sing-box. `engine_2` and `singBox` are other names of it. */
  @OptionalObject(() => SingBoxFragment)
  @AliasedAs(['engine_2', 'singBox'], () => SingBoxFragment)
  sing_box?: SingBoxFragment | null;
}

/** A packet that Xray sends before the first ones. */
export class XrayNoise {
  /** How `packet` is to be read. */
  @IsIn(NOISE_TYPES, oneOf(NOISE_TYPES))
  @IsDefined(REQUIRED)
  type: string;

  /** The packet: for `rand` its length or a range of lengths, otherwise its content. */
  @MaxCharacters(4096)
  @IsString(STRING)
  @IsDefined(REQUIRED)
  packet: string;

  /** Milliseconds to wait after it, or a range such as `10-20`. */
  @OptionalRange()
  delay?: number | string | null;

  /** For which kind of addresses it is sent. `applyTo` is another name of it. */
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
