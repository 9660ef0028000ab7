import { IsDefined, IsIn, IsOptional, IsString, Matches } from 'class-validator';
import { AlsoNamed } from '../http/also-named.js';
import { oneOf, REQUIRED, STRING } from '../http/messages.js';
import {
  MaxCharacters,
  ObjectList,
  OptionalBoolean,
  OptionalInteger,
  OptionalObject,
  OptionalOneOf,
  OptionalRange,
} from '../http/rules.js';

const INT32 = 2 ** 31 - 1;
const NOISE_TYPES = ['rand', 'str', 'base64', 'hex'];

export class XrayMux {
  @OptionalBoolean()
  enabled?: boolean | null;

  @OptionalInteger(-1, 1024)
  concurrency?: number | null;

  @OptionalInteger(-1, 1024)
  @AlsoNamed('xudp_concurrency')
  xudpConcurrency?: number | null;

  @OptionalOneOf(['reject', 'allow', 'skip'])
  @AlsoNamed('xudp_proxy_udp_443')
  xudpProxyUDP443?: string | null;
}

export class Brutal {
  @OptionalBoolean()
  enable?: boolean | null;

  @OptionalInteger(0, INT32)
  @AlsoNamed('upMbps')
  up_mbps?: number | null;

  @OptionalInteger(0, INT32)
  @AlsoNamed('downMbps')
  down_mbps?: number | null;
}

export class SingBoxMux {
  @OptionalBoolean()
  enable?: boolean | null;

  @OptionalOneOf(['smux', 'yamux', 'h2mux'])
  protocol?: string | null;

  @OptionalInteger(0, INT32)
  @AlsoNamed('maxConnections')
  max_connections?: number | null;

  @OptionalInteger(0, INT32)
  @AlsoNamed('maxStreams')
  max_streams?: number | null;

  @OptionalInteger(0, INT32)
  @AlsoNamed('minStreams')
  min_streams?: number | null;

  @OptionalBoolean()
  padding?: boolean | null;

  @OptionalObject(() => Brutal)
  brutal?: Brutal | null;
}

export class ClashMux extends SingBoxMux {
  @OptionalBoolean()
  statistic?: boolean | null;

  @OptionalBoolean()
  @AlsoNamed('onlyTcp')
  only_tcp?: boolean | null;
}

/** Per client engine; the contract calls the three `engine_1`, `engine_2` and `engine_3`. */
export class MuxSettings {
  @OptionalObject(() => XrayMux)
  @AlsoNamed('engine_1', () => XrayMux)
  xray?: XrayMux | null;

  @OptionalObject(() => SingBoxMux)
  @AlsoNamed(['engine_2', 'singBox'], () => SingBoxMux)
  sing_box?: SingBoxMux | null;

  @OptionalObject(() => ClashMux)
  @AlsoNamed('engine_3', () => ClashMux)
  clash?: ClashMux | null;
}

export class XrayFragment {
  @Matches(/^(tlshello|\d{1,4}(-\d{1,4})?)$/, { message: "Input should be 'tlshello' or a range such as '1-3'" })
  @IsOptional()
  packets?: string | null;

  @OptionalRange()
  length?: number | string | null;

  @OptionalRange()
  interval?: number | string | null;
}

export class SingBoxFragment {
  @OptionalBoolean()
  fragment?: boolean | null;

  @Matches(/^\d{1,9}(ms|s)$/, { message: "Input should be a duration such as '500ms'" })
  @IsOptional()
  @AlsoNamed('fragmentFallbackDelay')
  fragment_fallback_delay?: string | null;

  @OptionalBoolean()
  @AlsoNamed('recordFragment')
  record_fragment?: boolean | null;
}

export class FragmentSettings {
  @OptionalObject(() => XrayFragment)
  @AlsoNamed('engine_1', () => XrayFragment)
  xray?: XrayFragment | null;

  @OptionalObject(() => SingBoxFragment)
  @AlsoNamed(['engine_2', 'singBox'], () => SingBoxFragment)
  sing_box?: SingBoxFragment | null;
}

export class XrayNoise {
  @IsIn(NOISE_TYPES, oneOf(NOISE_TYPES))
  @IsDefined(REQUIRED)
  type: string;

  @MaxCharacters(4096)
  @IsString(STRING)
  @IsDefined(REQUIRED)
  packet: string;

  @OptionalRange()
  delay?: number | string | null;

  @OptionalOneOf(['ip', 'ipv4', 'ipv6'])
  @AlsoNamed('applyTo')
  apply_to?: string | null;
}

export class NoiseSettings {
  @ObjectList(() => XrayNoise, 100)
  @IsOptional()
  @AlsoNamed('engine_1', () => XrayNoise)
  xray?: XrayNoise[] | null;
}
