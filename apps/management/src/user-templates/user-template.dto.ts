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

/** Settings that the credentials of the template's users get. */
export class ExtraSettingsInput {
  /**
   * The flow of VLESS; `none` and the empty text mean the same. Null or absent: `none` for a new template, unchanged
   * for an existing one.
   */
  @OptionalOneOf(TEMPLATE_FLOWS)
  flow?: TemplateFlow | null;

  /** The method of Shadowsocks. Null or absent: the default for a new template, unchanged for an existing one. */
  @OptionalOneOf(SHADOWSOCKS_METHODS)
  method?: ShadowsocksMethod | null;
}

/** The members that creation and modification share; they are optional in both. */
abstract class UserTemplateInput {
  /**
   * Bytes that a user may use. 0: unlimited; null or absent: unlimited for a new template, unchanged for an existing
   * one.
   */
  @OptionalInteger(0, Number.MAX_SAFE_INTEGER)
  data_limit?: number | null;

  /**
   * Seconds that a user's time lasts. 0: it has no end; null or absent: no end for a new template, unchanged for an
   * existing one.
   */
  @OptionalInteger(0, MAX_SECONDS)
  expire_duration?: number | null;

  /** The prefix of the users' names. Null or empty: none. */
  @MaxCharacters(AFFIX_LENGTH)
  @IsString(STRING)
  @IsOptional()
  username_prefix?: string | null;

  /** The suffix of the users' names. Null or empty: none. */
  @MaxCharacters(AFFIX_LENGTH)
  @IsString(STRING)
  @IsOptional()
  username_suffix?: string | null;

  /** Settings that the credentials of the template's users get. Null: none. */
  @OptionalObject(() => ExtraSettingsInput)
  extra_settings?: ExtraSettingsInput | null;

  /**
   * `on_hold`: the time of a user begins with the first traffic; this needs `expire_duration` above 0 and
   * `on_hold_timeout`. Null or absent: `active` for a new template, unchanged for an existing one.
   */
  @OptionalOneOf(TEMPLATE_STATUSES)
  status?: TemplateStatus | null;

  /**
   * Whether applying the template to an existing user sets its traffic counter to zero. Null or absent: false for a new
   * template, unchanged for an existing one.
   */
  @OptionalBoolean()
  reset_usages?: boolean | null;

  /** Seconds after which a hold ends by itself. Null or 0: never. */
  @OptionalInteger(0, MAX_SECONDS)
  on_hold_timeout?: number | null;

  /**
   * How often the traffic counter of the template's users is reset. Null or absent: `no_reset` for a new template,
   * unchanged for an existing one.
   */
  @OptionalOneOf(DATA_LIMIT_RESET_STRATEGIES)
  data_limit_reset_strategy?: DataLimitResetStrategy | null;

  /**
   * A disabled template cannot create or change users. Null or absent: enabled for a new template, unchanged for an
   * existing one.
   */
  @OptionalBoolean()
  is_disabled?: boolean | null;
}

/**
 * A new template. Absent members have their defaults. The status `on_hold` needs `expire_duration` above 0 and
 * `on_hold_timeout`.
 */
export class UserTemplateCreate extends UserTemplateInput {
  /** The name for operators, unique. */
  @MaxCharacters(NAME_LENGTH)
  @IsNotEmpty(NO_NAME)
  @IsString(STRING)
  @IsDefined(REQUIRED)
  name: string;

  /** The ids of the groups that the users join; at least one. */
  @ArrayNotEmpty(ONE_GROUP)
  @IdList()
  @IsDefined(ONE_GROUP)
  group_ids: number[];
}

/**
 * Changes of a template. Absent members stay unchanged; null clears a member, or leaves it unchanged if it always has a
 * value. The status `on_hold` needs `expire_duration` above 0 and `on_hold_timeout`.
 */
export class UserTemplateModify extends UserTemplateInput {
  /** The name for operators, unique. Null or absent: unchanged. */
  @MaxCharacters(NAME_LENGTH)
  @IsNotEmpty(NO_NAME)
  @IsString(STRING)
  @IsOptional()
  name?: string | null;

  /** The ids of the groups that the users join. Empty: none; null or absent: unchanged. */
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
  /** The prefix of the users' names; null: none. */
  username_prefix: string | null;
  /** The suffix of the users' names; null: none. */
  username_suffix: string | null;
  /** The ids of the groups that the users join. */
  group_ids: number[];
  /** Settings that the credentials of the template's users get; null: none. */
  extra_settings: ExtraSettings | null;
  /** `on_hold`: the time of a user begins with the first traffic. */
  status: TemplateStatus;
  /** Whether applying the template to an existing user sets its traffic counter to zero. */
  reset_usages: boolean;
  /** Seconds after which a hold ends by itself; null: never. */
  on_hold_timeout: number | null;
  /** How often the traffic counter of the template's users is reset. */
  data_limit_reset_strategy: DataLimitResetStrategy;
  /** A disabled template cannot create or change users. */
  is_disabled: boolean;
  /** The id of the template. */
  id: number;
  /** Another text after every edit. A change that sends it as `If-Match` is refused when the object has another one. */
  version: string;
}
