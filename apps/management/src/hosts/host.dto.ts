import { ALPN_PROTOCOLS, type Alpn } from '@rampart/core-config';
import { MAX_INT32, PATH_VARIABLES, USER_STATUSES, type UserStatus } from '@rampart/domain';
import {
  HOST_FINGERPRINTS,
  HOST_SECURITIES,
  type HostFingerprint,
  type HostSecurity,
  type HostWarning,
} from '@rampart/subscription';
import { ArrayNotEmpty, IsArray, IsDefined, IsInt, IsNotEmpty, IsOptional, IsString, Max, Min } from 'class-validator';
import { IsFormat } from '../validation/is-format.js';
import { KeepRaw } from '../validation/keep-raw.js';
import { REQUIRED, STRING, STRINGS } from '../validation/messages.js';
import { IntegerText } from '../validation/query-values.js';
import { Rule } from '../validation/rule.js';
import {
  IdList,
  JoinedAtMost,
  MaxCharacters,
  OptionalBoolean,
  OptionalInteger,
  OptionalObject,
  OptionalOneOf,
  OptionalOneOfSpelled,
  OptionalSeveralOf,
} from '../validation/rules.js';
import { FragmentSettings, MuxSettings, NoiseSettings } from './client-settings.dto.js';
import { TransportSettings } from './transport-settings.dto.js';

const PRIORITY = { message: `Input should be an integer from ${-MAX_INT32 - 1} to ${MAX_INT32}` };

const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

const IsHeaders = (): PropertyDecorator =>
  Rule(
    'isHeaders',
    {
      propertyNames: { pattern: HEADER_NAME.source },
      additionalProperties: { type: 'string', pattern: '^[^\\r\\n]*$' },
    },
    { validate: isHeaders },
    { message: 'Input should map header names to strings without line breaks' },
  );

function isHeaders(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const isPair = ([name, text]: [string, unknown]) =>
    HEADER_NAME.test(name) && typeof text === 'string' && !/[\r\n]/.test(text);
  return Object.entries(value).every(isPair);
}

/** Decorator of the sets of strings `address`, `sni` and `host`. */
const OptionalStringSet =
  (length: number): PropertyDecorator =>
  (prototype, property) => {
    for (const rule of [IsOptional(), IsArray(STRINGS), IsString({ each: true, ...STRINGS }), JoinedAtMost(length)]) {
      rule(prototype, property);
    }
  };

/** The members of a host that are stored in JSON columns. */
export class HostDocuments {
  /** Headers that the transport sends: a map of names to texts without line breaks. Null: none. */
  @IsHeaders()
  @IsOptional()
  @KeepRaw()
  http_headers?: Record<string, string> | null;

  /** Settings by transport; only those of the inbound's transport have an effect. Null: none. */
  @OptionalObject(() => TransportSettings)
  transport_settings?: TransportSettings | null;

  /** Multiplexing, by client program. Null: none. */
  @OptionalObject(() => MuxSettings)
  mux_settings?: MuxSettings | null;

  /** Fragmentation of the first packets, by client program. Null: none. */
  @OptionalObject(() => FragmentSettings)
  fragment_settings?: FragmentSettings | null;

  /** Noise before the first packets, by client program. Null: none. */
  @OptionalObject(() => NoiseSettings)
  noise_settings?: NoiseSettings | null;
}

/**
 * A server entry of subscriptions. Its values take precedence over those of its inbound. Absent members get their
 * defaults, on modification too.
 */
export class HostCreate extends HostDocuments {
  /** The name that clients show, a format string such as `{USERNAME} ({DAYS_LEFT})`; `{{` and `}}` write a brace. */
  @IsFormat()
  @MaxCharacters(256)
  @IsNotEmpty({ message: 'Remark cannot be empty' })
  @IsString(STRING)
  @IsDefined(REQUIRED)
  remark: string;

  /** The tag of the host's inbound, which must be offered by a core. */
  @IsNotEmpty(REQUIRED)
  @IsString(STRING)
  @IsDefined(REQUIRED)
  inbound_tag: string;

  /** The position in subscriptions: lower numbers come first. */
  @Max(MAX_INT32, PRIORITY)
  @Min(-MAX_INT32 - 1, PRIORITY)
  @IsInt(PRIORITY)
  @IsDefined(REQUIRED)
  priority: number;

  /**
   * IP addresses and domain names, one of which is chosen at random for each request. They are format strings, in which
   * `*` becomes a random text. Null or empty: the host is left out of subscriptions. Joined with commas they have at
   * most 256 characters.
   */
  @IsFormat()
  @OptionalStringSet(256)
  address?: string[] | null;

  /** The port. Null or 0: a port of the inbound. */
  @OptionalInteger(0, 65_535)
  port?: number | null;

  /**
   * Server names of TLS, one of which is chosen at random for each request; `*` becomes a random text. Null or empty:
   * those of the inbound. Joined with commas they have at most 1000 characters.
   */
  @OptionalStringSet(1000)
  sni?: string[] | null;

  /**
   * Host headers, one of which is chosen at random for each request; `*` becomes a random text. Null or empty: those of
   * the inbound. Joined with commas they have at most 1000 characters.
   */
  @OptionalStringSet(1000)
  host?: string[] | null;

  /**
   * The path of the transport, with the variables `{PROTOCOL}`, `{TRANSPORT}` and `{USERNAME}`. Null or empty: the path
   * of the inbound.
   */
  @IsFormat(PATH_VARIABLES)
  @MaxCharacters(256)
  @IsString(STRING)
  @IsOptional()
  path?: string | null;

  /**
   * The security that clients use. Null or `inbound_default`: that of the inbound; `reality` needs an inbound with
   * REALITY.
   */
  @OptionalOneOf(HOST_SECURITIES)
  security?: HostSecurity | null;

  /** The ALPN protocols of TLS. Null or empty: those of the inbound. */
  @OptionalSeveralOf(ALPN_PROTOCOLS)
  alpn?: Alpn[] | null;

  /** The browser whose TLS handshake clients imitate. Null, empty or `none`: that of the inbound. */
  @OptionalOneOfSpelled(HOST_FINGERPRINTS, { '': 'none' })
  fingerprint?: HostFingerprint | null;

  /** Whether clients accept a certificate that they cannot verify. Null: as the inbound says. */
  @OptionalBoolean()
  allowinsecure?: boolean | null;

  /** A disabled host is in no subscription. Null: enabled. */
  @OptionalBoolean()
  is_disabled?: boolean | null;

  /** Whether requests of the transport send the user agent of a random browser. Null: false. */
  @OptionalBoolean()
  random_user_agent?: boolean | null;

  /** Whether the server name of TLS is also used as the Host header. Null: false. */
  @OptionalBoolean()
  use_sni_as_host?: boolean | null;

  /** Only users in one of these states get the host. Null or empty: all users. */
  @OptionalSeveralOf(USER_STATUSES)
  status?: UserStatus[] | null;

  /** The configuration of Encrypted Client Hello in base64, or the place to look it up. Null or empty: none. */
  @MaxCharacters(2048)
  @IsString(STRING)
  @IsOptional()
  ech_config_list?: string | null;
}

/**
 * An element of the list that modifies several hosts. With a known id it replaces that host, otherwise it creates one.
 */
export class HostElement extends HostCreate {
  /** The id of the host to replace. Null, absent or unknown: a new host is created. */
  @OptionalInteger(0, MAX_INT32)
  id?: number | null;
}

/**
 * A host as it is stored.
 * @membersLike HostCreate
 */
export interface HostView {
  /** The id of the host. */
  id: number;
  remark: string;
  /**
   * IP addresses and domain names, one of which is chosen at random for each request. They are format strings, in which
   * `*` becomes a random text.
   */
  address: string[];
  inbound_tag: string;
  /** The port; null: a port of the inbound. */
  port: number | null;
  /** Server names of TLS, one of which is chosen at random for each request; empty: those of the inbound. */
  sni: string[];
  /** Host headers, one of which is chosen at random for each request; empty: those of the inbound. */
  host: string[];
  path: string | null;
  /** The security that clients use; `inbound_default`: that of the inbound. */
  security: HostSecurity;
  /** The ALPN protocols of TLS; empty: those of the inbound. */
  alpn: Alpn[];
  /** The browser whose TLS handshake clients imitate; `none`: that of the inbound. */
  fingerprint: HostFingerprint;
  allowinsecure: boolean | null;
  /** A disabled host is in no subscription. */
  is_disabled: boolean;
  http_headers: Record<string, string> | null;
  transport_settings: TransportSettings | null;
  mux_settings: MuxSettings | null;
  fragment_settings: FragmentSettings | null;
  noise_settings: NoiseSettings | null;
  /** Whether requests of the transport send the user agent of a random browser. */
  random_user_agent: boolean;
  /** Whether the server name of TLS is also used as the Host header. */
  use_sni_as_host: boolean;
  priority: number;
  /** Only users in one of these states get the host; null: all users. */
  status: UserStatus[] | null;
  ech_config_list: string | null;
  /** Only of a host that fails its probes: what is wrong, and what to do. */
  warnings?: HostWarning[];
  /** Another text after every edit. A change that sends it as `If-Match` is refused when the object has another one. */
  version: string;
}

/** A host with warnings about accepted settings that may not work. */
export interface CheckedHostView extends HostView {
  /** Warnings about settings that may not work as expected; empty if there are none. */
  warnings: HostWarning[];
}

/** The wanted order of some hosts. */
export class HostOrder {
  /** The ids of hosts in the wanted order. They exchange the places that they have; all other hosts keep theirs. */
  @ArrayNotEmpty({ message: 'Input should have at least one id' })
  @IdList()
  @IsDefined(REQUIRED)
  ids: number[];
}

export class HostCheckQuery {
  /** The id of the stored host that the body would replace. Absent: it would be a new host. */
  @OptionalInteger(1, MAX_INT32)
  @IntegerText()
  id?: number;
}

/** What a save of a host would say. Nothing was saved. */
export interface HostCheckView {
  /** The error with which a save would be answered; empty: it would be saved. */
  errors: {
    /** The code of the error. */
    code: string;
    /** The error in a sentence. */
    message: string;
  }[];
  /** The warnings of a save; empty where it would be refused. */
  warnings: HostWarning[];
}
