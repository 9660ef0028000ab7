import {
  DATA_LIMIT_RESET_STRATEGIES,
  type DataLimitResetStrategy,
  type ExtraSettings,
  SHADOWSOCKS_METHODS,
  type ShadowsocksMethod,
  TEMPLATE_FLOWS,
  TEMPLATE_STATUSES,
  type TemplateFlow,
  type TemplateStatus,
} from '@rampart/domain';
import { ArrayNotEmpty, IsDefined, IsNotEmpty, IsOptional, IsString } from 'class-validator';
import { REQUIRED, STRING } from '../http/messages.js';
import {
  IdList,
  MaxCharacters,
  OptionalBoolean,
  OptionalIdList,
  OptionalInteger,
  OptionalObject,
  OptionalOneOf,
} from '../http/rules.js';

const MAX_SECONDS = 3_155_760_000; // a hundred years
const AFFIX_LENGTH = 20;
const NAME_LENGTH = 64;
const ONE_GROUP = { message: 'you must select at least one group' };
const NO_NAME = { message: "name can't be empty" };

export class ExtraSettingsInput {
  @OptionalOneOf(TEMPLATE_FLOWS)
  flow?: TemplateFlow | null;

  @OptionalOneOf(SHADOWSOCKS_METHODS)
  method?: ShadowsocksMethod | null;
}

/** The members that creation and modification share; both may leave them out. */
abstract class UserTemplateInput {
  @OptionalInteger(0, Number.MAX_SAFE_INTEGER)
  data_limit?: number | null;

  @OptionalInteger(0, MAX_SECONDS)
  expire_duration?: number | null;

  @MaxCharacters(AFFIX_LENGTH)
  @IsString(STRING)
  @IsOptional()
  username_prefix?: string | null;

  @MaxCharacters(AFFIX_LENGTH)
  @IsString(STRING)
  @IsOptional()
  username_suffix?: string | null;

  @OptionalObject(() => ExtraSettingsInput)
  extra_settings?: ExtraSettingsInput | null;

  @OptionalOneOf(TEMPLATE_STATUSES)
  status?: TemplateStatus | null;

  @OptionalBoolean()
  reset_usages?: boolean | null;

  @OptionalInteger(0, MAX_SECONDS)
  on_hold_timeout?: number | null;

  @OptionalOneOf(DATA_LIMIT_RESET_STRATEGIES)
  data_limit_reset_strategy?: DataLimitResetStrategy | null;

  @OptionalBoolean()
  is_disabled?: boolean | null;
}

export class UserTemplateCreate extends UserTemplateInput {
  @MaxCharacters(NAME_LENGTH)
  @IsNotEmpty(NO_NAME)
  @IsString(STRING)
  @IsDefined(REQUIRED)
  name: string;

  @ArrayNotEmpty(ONE_GROUP)
  @IdList()
  @IsDefined(ONE_GROUP)
  group_ids: number[];
}

/** What is left out, or null where a column has no null, stays as it is. */
export class UserTemplateModify extends UserTemplateInput {
  @MaxCharacters(NAME_LENGTH)
  @IsNotEmpty(NO_NAME)
  @IsString(STRING)
  @IsOptional()
  name?: string | null;

  @OptionalIdList()
  group_ids?: number[] | null;
}

export interface UserTemplateView {
  name: string;
  data_limit: number;
  expire_duration: number;
  username_prefix: string | null;
  username_suffix: string | null;
  group_ids: number[];
  extra_settings: ExtraSettings | null;
  status: TemplateStatus;
  reset_usages: boolean;
  on_hold_timeout: number | null;
  data_limit_reset_strategy: DataLimitResetStrategy;
  is_disabled: boolean;
  id: number;
}
