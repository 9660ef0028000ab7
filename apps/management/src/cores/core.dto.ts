import { type CoreConfigWarning, MAX_ALLOWED_NETWORKS, networkText } from '@rampart/core-config';
import { Transform } from 'class-transformer';
import { IsArray, IsDefined, IsOptional, IsString, isNotEmptyObject } from 'class-validator';
import { KeepRaw } from '../validation/keep-raw.js';
import { REQUIRED, STRING, STRINGS } from '../validation/messages.js';
import { Rule } from '../validation/rule.js';
import { JoinedAtMost, MaxCharacters, OptionalBoolean } from '../validation/rules.js';
import type { ClientWarning } from './client-warnings.js';
import type { NetworkWarning } from './network-warnings.js';
import type { OrphanWarning } from './orphan-warnings.js';
import type { RefusalWarning } from './refusal-warning.js';

const JOINED_MAX = 2048;
/** The longest text of an IPv6 network. */
const MAX_NETWORK = 64;
const BOOLEAN_TEXTS: ReadonlyMap<unknown, boolean> = new Map([
  ...['true', '1'].map((text) => [text, true] as const),
  ...['false', '0'].map((text) => [text, false] as const),
]);

const IsCoreConfig = (): PropertyDecorator =>
  Rule(
    'isCoreConfig',
    {
      anyOf: [
        { type: 'object', additionalProperties: {}, minProperties: 1 },
        { type: 'string', minLength: 1 },
      ],
    },
    { validate: (config) => typeof config === 'string' || isNotEmptyObject(config) },
    { message: 'config must be an object that is not empty' },
  );

/** A list of networks in CIDR notation. */
const NetworkList = (max: number): PropertyDecorator =>
  Rule(
    'isNetworkList',
    { type: 'array', maxItems: max, items: { type: 'string', maxLength: MAX_NETWORK } },
    { validate: (list) => Array.isArray(list) && list.length <= max && list.every(isNetwork) },
    { message: `Input should be a list of at most ${max} networks such as 10.1.0.0/16` },
  );

const isNetwork = (text: unknown): boolean =>
  typeof text === 'string' && text.length <= MAX_NETWORK && networkText(text) !== undefined;

/** A configuration of the proxy engine. Absent members get their defaults, on modification too. */
export class CoreCreate {
  /** A name for operators. */
  @MaxCharacters(256)
  @IsString(STRING)
  @IsDefined(REQUIRED)
  name: string;

  /**
   * The configuration of Xray-core: an object, or JSON text with the engine's comments. It needs inbounds with unique
   * tags, and outbounds.
   */
  @IsCoreConfig()
  @IsDefined(REQUIRED)
  @KeepRaw()
  config: unknown;

  /**
   * Tags of inbounds that run on the nodes and are not offered to groups and hosts. All together, joined with commas,
   * they have at most 2048 characters. Null: none.
   */
  @JoinedAtMost(JOINED_MAX)
  @IsString({ each: true, ...STRINGS })
  @IsArray(STRINGS)
  @IsOptional()
  exclude_inbound_tags?: string[] | null;

  /**
   * Tags of inbounds whose fallbacks are offered as inbounds with the port and security of this one. All together,
   * joined with commas, they have at most 2048 characters. Null: none.
   */
  @JoinedAtMost(JOINED_MAX)
  @IsString({ each: true, ...STRINGS })
  @IsArray(STRINGS)
  @IsOptional()
  fallbacks_inbound_tags?: string[] | null;

  /**
   * Private networks that users may reach through the nodes of the core, such as `10.1.0.0/16`; a single address is a network
   * too. Nodes keep users out of all others, by address and by name. Null: none.
   */
  @NetworkList(MAX_ALLOWED_NETWORKS)
  @IsOptional()
  private_networks?: string[] | null;
}

export class CoreChangeQuery {
  /** Whether nodes restart with the changed configuration at once. Absent: they keep running the previous one. */
  @OptionalBoolean()
  @Transform(({ value }) => BOOLEAN_TEXTS.get(value) ?? value)
  restart_nodes?: boolean;
}

/** A configuration of the proxy engine as it is stored. */
export interface CoreView {
  /** A name for operators. */
  name: string;
  /** The configuration of Xray-core, with its members in the order in which they were sent. */
  config: Record<string, unknown>;
  /** Tags of inbounds that are not offered to groups and hosts. */
  exclude_inbound_tags: string[];
  /** Tags of inbounds whose fallbacks are offered as inbounds of their own. */
  fallbacks_inbound_tags: string[];
  /** Private networks that users may reach through the nodes, in CIDR notation. */
  private_networks: string[];
  /** The id of the configuration; 1 is the default, which cannot be deleted. */
  id: number;
  /**
   * The moment when the configuration was created.
   * @format date-time
   */
  created_at: string;
  /** Another text after every edit. A change that sends it as `If-Match` is refused when the object has another one. */
  version: string;
}

/** A configuration with warnings about accepted settings that may not work. */
export interface CheckedCoreView extends CoreView {
  /** Warnings about settings that may not work as expected; empty if there are none. */
  warnings: readonly (CoreConfigWarning | ClientWarning | NetworkWarning | OrphanWarning | RefusalWarning)[];
}

/** A list of configurations, by id. */
export interface CoreListView {
  /** The number of all configurations, regardless of the window of the list. */
  count: number;
  /** The configurations in the window. */
  cores: CoreView[];
}
