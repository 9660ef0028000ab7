import {
  CHOSEN_STATUSES,
  type ChosenStatus,
  DATA_LIMIT_RESET_STRATEGIES,
  type DataLimitResetStrategy,
  type ProxySettings,
  USERNAME_SCHEMA,
  type UserStatus,
  usernameProblem,
} from '@rampart/domain';
import { ArrayNotEmpty, IsDefined, IsInt, IsOptional, IsString, Max } from 'class-validator';
import { NextPlanInput, type NextPlanView, OptionalNextPlan } from '../../user-store/entities/next-plan.dto.js';
import { REQUIRED, STRING } from '../../validation/messages.js';
import { IsMoment, type Moment } from '../../validation/moment.js';
import { Rule } from '../../validation/rule.js';
import {
  MaxCharacters,
  OptionalIdList,
  OptionalInteger,
  OptionalObject,
  OptionalOneOf,
} from '../../validation/rules.js';
import { ProxySettingsInput } from './proxy-settings.dto.js';

const FIRST_STATUSES = ['active', 'on_hold'] as const;
const DAYS = { message: 'Input should be an integer up to 36500' };

const IsUsername = (): PropertyDecorator =>
  Rule('isUsername', USERNAME_SCHEMA, {
    validate: (name) => typeof name === 'string' && usernameProblem(name) === undefined,
    defaultMessage: (args) => usernameProblem(String(args?.value)) ?? '',
  });

/** The members of a user that creation and modification share. */
class UserFields {
  /** The credentials. Absent ones are generated for a new user and stay unchanged for an existing one. */
  @OptionalObject(() => ProxySettingsInput)
  proxy_settings?: ProxySettingsInput | null;

  /** The end of the user's time. 0 or null: never. A user on hold has none. */
  @IsMoment()
  @IsOptional()
  expire?: Moment;

  /** Bytes that the user may use. 0 or null: unlimited. */
  @OptionalInteger(0, Number.MAX_SAFE_INTEGER)
  data_limit?: number | null;

  /**
   * How often the traffic counter of a user with a limit is reset, counted from the user's creation. Null: `no_reset`
   * for a new user, unchanged for an existing one.
   */
  @OptionalOneOf(DATA_LIMIT_RESET_STRATEGIES)
  data_limit_reset_strategy?: DataLimitResetStrategy | null;

  /** A note for operators. Null: none. */
  @MaxCharacters(500)
  @IsString(STRING)
  @IsOptional()
  note?: string | null;

  /** Seconds that the user's time lasts, counted from the first traffic. A user on hold needs a value above 0. */
  @OptionalInteger(0, 3_155_760_000)
  on_hold_expire_duration?: number | null;

  /** The moment when a hold ends by itself. 0 or null: never. */
  @IsMoment()
  @IsOptional()
  on_hold_timeout?: Moment;

  /** Days after its end at which the user is deleted. Negative or null: the setting of the service decides. */
  @Max(36_500, DAYS)
  @IsInt(DAYS)
  @IsOptional()
  auto_delete_in_days?: number | null;

  /** The plan that begins when the user's time or traffic is used up. Null: none. */
  @OptionalNextPlan()
  next_plan?: NextPlanInput | null;
}

/**
 * A new user. Absent members have their defaults. The status `on_hold` needs `on_hold_expire_duration` above 0 and no
 * `expire`.
 */
export class UserCreate extends UserFields {
  /** The name, unique: 3 to 128 of a-z, A-Z, 0-9, -, _, @ and .; no two of the last four may follow each other. */
  @IsUsername()
  @IsString(STRING)
  @IsDefined(REQUIRED)
  username: string;

  /** `on_hold`: the user's time begins with the first traffic. Null or absent: `active`. */
  @OptionalOneOf(FIRST_STATUSES)
  status?: (typeof FIRST_STATUSES)[number] | null;

  /** The ids of the user's groups, at least one if given. Null or absent: no groups. */
  @ArrayNotEmpty({ message: 'you must select at least one group' })
  @OptionalIdList()
  group_ids?: number[] | null;
}

/**
 * Changes of a user. Absent members stay unchanged; null clears them. A status or a credential cannot be cleared: null
 * leaves it unchanged.
 */
export class UserModify extends UserFields {
  /** The new state. `active` becomes `expired` or `limited` if the user's end has passed or its traffic is used up. */
  @OptionalOneOf(CHOSEN_STATUSES)
  status?: ChosenStatus | null;

  /** The ids of the user's groups. Empty: no groups; null or absent: unchanged. */
  @OptionalIdList()
  group_ids?: number[] | null;
}

/** A user as the API shows it. */
export interface UserView {
  /** The credentials. */
  proxy_settings: ProxySettings;
  /**
   * The end of the user's time. 0: never.
   * @format date-time
   */
  expire: string | 0;
  /** Bytes that the user may use; 0: unlimited. */
  data_limit: number;
  /** How often the traffic counter of a user with a limit is reset, counted from the user's creation. */
  data_limit_reset_strategy: DataLimitResetStrategy;
  /** A note for operators; null: none. */
  note: string | null;
  /** Seconds that the user's time lasts, counted from the first traffic; null: the user is not on hold. */
  on_hold_expire_duration: number | null;
  /**
   * The moment when a hold ends by itself; null: never.
   * @format date-time
   */
  on_hold_timeout: string | null;
  /** The ids of the user's groups. */
  group_ids: number[];
  /** Days after its end at which the user is deleted; null: the setting of the service decides. */
  auto_delete_in_days: number | null;
  /** The plan that begins when the user's time or traffic is used up; null: none. */
  next_plan: NextPlanView | null;
  /** The id of the user. */
  id: number;
  /** The name, which never changes. */
  username: string;
  /** The state: `limited` and `expired` follow from the terms, the others are chosen. */
  status: UserStatus;
  /** Bytes used since the counter was last reset. */
  used_traffic: number;
  /** Bytes ever used. */
  lifetime_used_traffic: number;
  /**
   * When the user was created.
   * @format date-time
   */
  created_at: string;
  /**
   * When an admin last changed the user; null: never.
   * @format date-time
   */
  edit_at: string | null;
  /**
   * When the user last had traffic; null: never.
   * @format date-time
   */
  online_at: string | null;
  /** The URL of the subscription. Empty in lists without `load_sub`. */
  subscription_url: string;
  /** The admin to whom the user belongs; null: none. */
  admin: {
    /** The id of the admin. */
    id: number;
    /** The name of the admin. */
    username: string;
  } | null;
  /** Another text after every edit. A change that sends it as `If-Match` is refused when the object has another one. */
  version: string;
}

/** The members of a user that a list was asked for. */
export interface UserMembers extends Partial<UserView> {}

/** A list of users. */
export interface UserListView {
  /** The users in the window; with `fields` each has only those members. */
  users: UserView[] | UserMembers[];
  /** The number of users that match the filter, regardless of the window. */
  total: number;
}

const FIELDS: Readonly<Record<keyof UserView, true>> = {
  id: true,
  username: true,
  status: true,
  note: true,
  expire: true,
  data_limit: true,
  data_limit_reset_strategy: true,
  used_traffic: true,
  lifetime_used_traffic: true,
  on_hold_expire_duration: true,
  on_hold_timeout: true,
  auto_delete_in_days: true,
  group_ids: true,
  next_plan: true,
  created_at: true,
  edit_at: true,
  online_at: true,
  subscription_url: true,
  admin: true,
  proxy_settings: true,
  version: true,
};

/** The members of a user that a list can be asked for. */
export const USER_FIELDS = Object.keys(FIELDS) as readonly (keyof UserView)[];
