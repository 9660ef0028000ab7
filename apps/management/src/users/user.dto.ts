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
import { REQUIRED, STRING } from '../http/messages.js';
import { IsMoment, type Moment } from '../http/moment.js';
import { Rule } from '../http/rule.js';
import { MaxCharacters, OptionalIdList, OptionalInteger, OptionalObject, OptionalOneOf } from '../http/rules.js';
import { NextPlanInput, type NextPlanView, OptionalNextPlan } from './next-plan.dto.js';
import { ProxySettingsInput } from './proxy-settings.dto.js';

const FIRST_STATUSES = ['active', 'on_hold'] as const;
const DAYS = { message: 'Input should be an integer up to 36500' };

const IsUsername = (): PropertyDecorator =>
  Rule('isUsername', USERNAME_SCHEMA, {
    validate: (name) => typeof name === 'string' && usernameProblem(name) === undefined,
    defaultMessage: (args) => usernameProblem(String(args?.value)) ?? '',
  });

/** What can be said of a user when it is made and later. */
class UserFields {
  @OptionalObject(() => ProxySettingsInput)
  proxy_settings?: ProxySettingsInput | null;

  @IsMoment()
  @IsOptional()
  expire?: Moment;

  @OptionalInteger(0, Number.MAX_SAFE_INTEGER)
  data_limit?: number | null;

  @OptionalOneOf(DATA_LIMIT_RESET_STRATEGIES)
  data_limit_reset_strategy?: DataLimitResetStrategy | null;

  @MaxCharacters(500)
  @IsString(STRING)
  @IsOptional()
  note?: string | null;

  @OptionalInteger(0, 3_155_760_000)
  on_hold_expire_duration?: number | null;

  @IsMoment()
  @IsOptional()
  on_hold_timeout?: Moment;

  @Max(36_500, DAYS)
  @IsInt(DAYS)
  @IsOptional()
  auto_delete_in_days?: number | null;

  @OptionalNextPlan()
  next_plan?: NextPlanInput | null;
}

export class UserCreate extends UserFields {
  @IsUsername()
  @IsString(STRING)
  @IsDefined(REQUIRED)
  username: string;

  @OptionalOneOf(FIRST_STATUSES)
  status?: (typeof FIRST_STATUSES)[number] | null;

  @ArrayNotEmpty({ message: 'you must select at least one group' })
  @OptionalIdList()
  group_ids?: number[] | null;
}

/** Absent: unchanged; null: cleared. A status or a credential cannot be cleared: there null is absent. */
export class UserModify extends UserFields {
  @OptionalOneOf(CHOSEN_STATUSES)
  status?: ChosenStatus | null;

  @OptionalIdList()
  group_ids?: number[] | null;
}

export interface UserView {
  proxy_settings: ProxySettings;
  /** 0: never. */
  expire: string | 0;
  data_limit: number;
  data_limit_reset_strategy: DataLimitResetStrategy;
  note: string | null;
  on_hold_expire_duration: number | null;
  on_hold_timeout: string | null;
  group_ids: number[];
  auto_delete_in_days: number | null;
  next_plan: NextPlanView | null;
  id: number;
  username: string;
  status: UserStatus;
  used_traffic: number;
  lifetime_used_traffic: number;
  created_at: string;
  edit_at: string | null;
  online_at: string | null;
  subscription_url: string;
  admin: { id: number; username: string } | null;
}

export interface UserListView {
  users: UserView[];
  total: number;
}
