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
import { REQUIRED, STRING } from '../validation/messages.js';
import {
  IdList,
  MaxCharacters,
  OptionalBoolean,
  OptionalIdList,
  OptionalInteger,
  OptionalObject,
  OptionalOneOf,
} from '../validation/rules.js';

const MAX_SECONDS = 3_155_760_000; // a hundred years
const AFFIX_LENGTH = 20;
const NAME_LENGTH = 64;
const ONE_GROUP = { message: 'you must select at least one group' };
const NO_NAME = { message: "name can't be empty" };

/** What users of the template have in their credentials. */
export class ExtraSettingsInput {
  /** The flow of VLESS; `none` and the empty text mean the same. Null or absent: `none`, or as it is. */
  @OptionalOneOf(TEMPLATE_FLOWS)
  flow?: TemplateFlow | null;

  /** The method of Shadowsocks. Null or absent: the default, or as it is. */
  @OptionalOneOf(SHADOWSOCKS_METHODS)
  method?: ShadowsocksMethod | null;
}

/** The members that creation and modification share; both may leave them out. */
abstract class UserTemplateInput {
  /** Bytes that a user may use. 0: unlimited; null or absent: unlimited, or as it is. */
  @OptionalInteger(0, Number.MAX_SAFE_INTEGER)
  data_limit?: number | null;

  /** Seconds that a user's time lasts. 0: it has no end; null or absent: no end, or as it is. */
  @OptionalInteger(0, MAX_SECONDS)
  expire_duration?: number | null;

  /** What stands before the names of its users. Null or empty: nothing. */
  @MaxCharacters(AFFIX_LENGTH)
  @IsString(STRING)
  @IsOptional()
  username_prefix?: string | null;

  /** What stands behind the names of its users. Null or empty: nothing. */
  @MaxCharacters(AFFIX_LENGTH)
  @IsString(STRING)
  @IsOptional()
  username_suffix?: string | null;

  /** What its users have in their credentials. Null: what they have anyway. */
  @OptionalObject(() => ExtraSettingsInput)
  extra_settings?: ExtraSettingsInput | null;

  /**
   * `on_hold`: the time of a user begins with the first traffic; it needs `expire_duration` above 0 and
   * `on_hold_timeout`. Null or absent: `active`, or as it is.
   */
  @OptionalOneOf(TEMPLATE_STATUSES)
  status?: TemplateStatus | null;

  /**
   * Whether the traffic of a user that exists is set to zero when the template is applied. Null or absent: false, or as
   * it is.
   */
  @OptionalBoolean()
  reset_usages?: boolean | null;

  /** Seconds after which a hold ends by itself. Null or 0: never. */
  @OptionalInteger(0, MAX_SECONDS)
  on_hold_timeout?: number | null;

  /** How often the traffic of its users returns to zero. Null or absent: `no_reset`, or as it is. */
  @OptionalOneOf(DATA_LIMIT_RESET_STRATEGIES)
  data_limit_reset_strategy?: DataLimitResetStrategy | null;

  /** A disabled template makes and changes no user. Null or absent: it is enabled, or as it is. */
  @OptionalBoolean()
  is_disabled?: boolean | null;
}

/** A new template. What is absent has its default. On hold it needs `expire_duration` above 0 and `on_hold_timeout`. */
export class UserTemplateCreate extends UserTemplateInput {
  /** A name of its own for operators. */
  @MaxCharacters(NAME_LENGTH)
  @IsNotEmpty(NO_NAME)
  @IsString(STRING)
  @IsDefined(REQUIRED)
  name: string;

  /** The ids of the groups of its users; at least one. */
  @ArrayNotEmpty(ONE_GROUP)
  @IdList()
  @IsDefined(ONE_GROUP)
  group_ids: number[];
}

/**
 * Changes of a template. What is absent stays as it is, and so does null where there is always a value. On hold it
 * needs `expire_duration` above 0 and `on_hold_timeout`.
 */
export class UserTemplateModify extends UserTemplateInput {
  /** A name of its own for operators. Null: as if absent. */
  @MaxCharacters(NAME_LENGTH)
  @IsNotEmpty(NO_NAME)
  @IsString(STRING)
  @IsOptional()
  name?: string | null;

  /** The ids of the groups of its users. Empty: none; null: as if absent. */
  @OptionalIdList()
  group_ids?: number[] | null;
}

/** A template as it is stored. */
export interface UserTemplateView {
  /** The name for operators. */
  name: string;
  /** Bytes that a user may use; 0: unlimited. */
  data_limit: number;
  /** Seconds that a user's time lasts; 0: it has no end. */
  expire_duration: number;
  /** What stands before the names of its users; null: nothing. */
  username_prefix: string | null;
  /** What stands behind the names of its users; null: nothing. */
  username_suffix: string | null;
  /** The ids of the groups of its users. */
  group_ids: number[];
  /** What its users have in their credentials; null: what they have anyway. */
  extra_settings: ExtraSettings | null;
  /** `on_hold`: the time of a user begins with the first traffic. */
  status: TemplateStatus;
  /** Whether the traffic of a user that exists is set to zero when the template is applied. */
  reset_usages: boolean;
  /** Seconds after which a hold ends by itself; null: never. */
  on_hold_timeout: number | null;
  /** How often the traffic of its users returns to zero. */
  data_limit_reset_strategy: DataLimitResetStrategy;
  /** A disabled template makes and changes no user. */
  is_disabled: boolean;
  /** The number of the template. */
  id: number;
}
