import type { CoreConfigWarning } from '@rampart/core-config';
import { IsArray, IsDefined, IsNotEmptyObject, IsOptional, IsString, MaxLength, ValidateIf } from 'class-validator';
import { AsSent } from '../http/as-sent.js';
import { atMost, REQUIRED, STRING, STRINGS } from '../http/messages.js';
import { JoinedAtMost } from '../http/rules.js';

const JOINED_MAX = 2048;

export class CoreCreate {
  @MaxLength(256, atMost(256))
  @IsString(STRING)
  @IsDefined(REQUIRED)
  name: string;

  /** An object, or JSON text with the engine's comments. */
  @ValidateIf(({ config }: CoreCreate) => typeof config !== 'string')
  @IsNotEmptyObject({}, { message: 'config must be an object that is not empty' })
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

export interface CoreView {
  name: string;
  config: Record<string, unknown>;
  exclude_inbound_tags: string[];
  fallbacks_inbound_tags: string[];
  id: number;
  created_at: string;
}

export interface CheckedCoreView extends CoreView {
  warnings: readonly CoreConfigWarning[];
}

export interface CoreListView {
  count: number;
  cores: CoreView[];
}
