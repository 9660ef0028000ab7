import type { CoreConfigWarning } from '@rampart/core-config';
import { Transform } from 'class-transformer';
import { IsArray, IsDefined, IsOptional, IsString, isNotEmptyObject } from 'class-validator';
import { AsSent } from '../http/as-sent.js';
import { REQUIRED, STRING, STRINGS } from '../http/messages.js';
import { Rule } from '../http/rule.js';
import { JoinedAtMost, MaxCharacters, OptionalBoolean } from '../http/rules.js';
import type { ClientWarning } from './client-warnings.js';
import type { OrphanWarning } from './orphans.js';
import type { RefusalWarning } from './refusal-warning.js';

const JOINED_MAX = 2048;
const BOOLEAN_TEXTS: ReadonlyMap<unknown, boolean> = new Map([
  ...['true', '1'].map((text) => [text, true] as const),
  ...['false', '0'].map((text) => [text, false] as const),
]);

const IsCoreConfig = (): PropertyDecorator =>
  Rule(
    'isCoreConfig',
    { anyOf: [{ type: 'object', additionalProperties: {}, minProperties: 1 }, { type: 'string' }] },
    { validate: (config) => typeof config === 'string' || isNotEmptyObject(config) },
    { message: 'config must be an object that is not empty' },
  );

export class CoreCreate {
  @MaxCharacters(256)
  @IsString(STRING)
  @IsDefined(REQUIRED)
  name: string;

  /** An object, or JSON text with the engine's comments. */
  @IsCoreConfig()
  @IsDefined(REQUIRED)
  @AsSent()
  config: unknown;

  @JoinedAtMost(JOINED_MAX)
  @IsString({ each: true, ...STRINGS })
  @IsArray(STRINGS)
  @IsOptional()
  exclude_inbound_tags?: string[] | null;

  @JoinedAtMost(JOINED_MAX)
  @IsString({ each: true, ...STRINGS })
  @IsArray(STRINGS)
  @IsOptional()
  fallbacks_inbound_tags?: string[] | null;
}

export class CoreChangeQuery {
  /** Otherwise nodes go on with the configuration that they run. */
  @OptionalBoolean()
  @Transform(({ value }) => BOOLEAN_TEXTS.get(value) ?? value)
  restart_nodes?: boolean;
}

export interface CoreView {
  name: string;
  config: Record<string, unknown>;
  exclude_inbound_tags: string[];
  fallbacks_inbound_tags: string[];
  id: number;
  created_at: string;
}

export interface CheckedCoreView extends CoreView {
  warnings: readonly (CoreConfigWarning | ClientWarning | OrphanWarning | RefusalWarning)[];
}

export interface CoreListView {
  count: number;
  cores: CoreView[];
}
