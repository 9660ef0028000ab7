import { ALPN_PROTOCOLS, type Alpn } from '@rampart/core-config';
import { PATH_VARIABLES, USER_STATUSES, type UserStatus } from '@rampart/domain';
import {
  HOST_FINGERPRINTS,
  HOST_SECURITIES,
  type HostFingerprint,
  type HostSecurity,
  type HostWarning,
} from '@rampart/subscription';
import { IsArray, IsDefined, IsInt, IsNotEmpty, IsOptional, IsString, Max, Min } from 'class-validator';
import { AsSent } from '../http/as-sent.js';
import { IsFormat } from '../http/is-format.js';
import { REQUIRED, STRING, STRINGS } from '../http/messages.js';
import { Rule } from '../http/rule.js';
import {
  JoinedAtMost,
  MaxCharacters,
  OptionalBoolean,
  OptionalInteger,
  OptionalObject,
  OptionalOneOf,
  OptionalOneOfSpelled,
  OptionalSeveralOf,
} from '../http/rules.js';
import { FragmentSettings, MuxSettings, NoiseSettings } from './client-settings.dto.js';
import { TransportSettings } from './transport-settings.dto.js';

const PRIORITY = { message: 'Input should be an integer from -2147483648 to 2147483647' };

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

/** `address`, `sni`, `host`: sets of strings. */
const OptionalStringSet =
  (length: number): PropertyDecorator =>
  (prototype, property) => {
    for (const rule of [IsOptional(), IsArray(STRINGS), IsString({ each: true, ...STRINGS }), JoinedAtMost(length)]) {
      rule(prototype, property);
    }
  };

export class HostCreate {
  @IsFormat()
  @MaxCharacters(256)
  @IsNotEmpty({ message: 'Remark cannot be empty' })
  @IsString(STRING)
  @IsDefined(REQUIRED)
  remark: string;

  @IsNotEmpty(REQUIRED)
  @IsString(STRING)
  @IsDefined(REQUIRED)
  inbound_tag: string;

  @Max(2 ** 31 - 1, PRIORITY)
  @Min(-(2 ** 31), PRIORITY)
  @IsInt(PRIORITY)
  @IsDefined(REQUIRED)
  priority: number;

  @IsFormat()
  @OptionalStringSet(256)
  address?: string[] | null;

  @OptionalInteger(0, 65_535)
  port?: number | null;

  @OptionalStringSet(1000)
  sni?: string[] | null;

  @OptionalStringSet(1000)
  host?: string[] | null;

  @IsFormat(PATH_VARIABLES)
  @MaxCharacters(256)
  @IsString(STRING)
  @IsOptional()
  path?: string | null;

  @OptionalOneOf(HOST_SECURITIES)
  security?: HostSecurity | null;

  @OptionalSeveralOf(ALPN_PROTOCOLS)
  alpn?: Alpn[] | null;

  @OptionalOneOfSpelled(HOST_FINGERPRINTS, { '': 'none' })
  fingerprint?: HostFingerprint | null;

  @OptionalBoolean()
  allowinsecure?: boolean | null;

  @OptionalBoolean()
  is_disabled?: boolean | null;

  @IsHeaders()
  @IsOptional()
  @AsSent()
  http_headers?: Record<string, string> | null;

  @OptionalObject(() => TransportSettings)
  transport_settings?: TransportSettings | null;

  @OptionalObject(() => MuxSettings)
  mux_settings?: MuxSettings | null;

  @OptionalObject(() => FragmentSettings)
  fragment_settings?: FragmentSettings | null;

  @OptionalObject(() => NoiseSettings)
  noise_settings?: NoiseSettings | null;

  @OptionalBoolean()
  random_user_agent?: boolean | null;

  @OptionalBoolean()
  use_sni_as_host?: boolean | null;

  @OptionalSeveralOf(USER_STATUSES)
  status?: UserStatus[] | null;

  @MaxCharacters(2048)
  @IsString(STRING)
  @IsOptional()
  ech_config_list?: string | null;
}

/** An element of the list that modifies many: with a known id it replaces that host, otherwise it is a new one. */
export class HostElement extends HostCreate {
  @OptionalInteger(0, 2 ** 31 - 1)
  id?: number | null;
}

export interface HostView {
  id: number;
  remark: string;
  address: string[];
  inbound_tag: string;
  port: number | null;
  sni: string[];
  host: string[];
  path: string | null;
  security: HostSecurity;
  alpn: Alpn[];
  fingerprint: HostFingerprint;
  allowinsecure: boolean | null;
  is_disabled: boolean;
  http_headers: Record<string, string> | null;
  transport_settings: TransportSettings | null;
  mux_settings: MuxSettings | null;
  fragment_settings: FragmentSettings | null;
  noise_settings: NoiseSettings | null;
  random_user_agent: boolean;
  use_sni_as_host: boolean;
  priority: number;
  status: UserStatus[] | null;
  ech_config_list: string | null;
}

export interface CheckedHostView extends HostView {
  warnings: HostWarning[];
}
