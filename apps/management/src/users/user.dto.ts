import {
  CHOSEN_STATUSES,
  type ChosenStatus,
  DATA_LIMIT_RESET_STRATEGIES,
  type DataLimitResetStrategy,
  type ProxySettings,
  type UserStatus,
  usernameProblem,
} from '@rampart/domain';
import { Type } from 'class-transformer';
import {
  ArrayNotEmpty,
  IsDefined,
  IsIn,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  Max,
  Min,
  ValidateBy,
  ValidateNested,
} from 'class-validator';
import { OBJECT, oneOf, REQUIRED, STRING } from '../http/messages.js';
import { IsMoment, type Moment } from '../http/moment.js';
import { MaxCharacters, OptionalIdList } from '../http/rules.js';
import { ProxySettingsInput } from './proxy-settings.dto.js';

const FIRST_STATUSES = ['active', 'on_hold'] as const;
const BYTES = { message: `Input should be an integer from 0 to ${Number.MAX_SAFE_INTEGER}` };
const SECONDS = { message: 'Input should be an integer from 0 to 3155760000' };
const DAYS = { message: 'Input should be an integer up to 36500' };

const IsUsername = (): PropertyDecorator =>
  ValidateBy({
    name: 'isUsername',
    validator: {
      validate: (name) => typeof name === 'string' && usernameProblem(name) === undefined,
      defaultMessage: (args) => usernameProblem(String(args?.value)) ?? '',
    },
  });

/** What can be said of a user when it is made and later. */
class UserFields {
  @ValidateNested()
  @IsObject(OBJECT)
  @IsOptional()
  @Type(() => ProxySettingsInput)
  proxy_settings?: ProxySettingsInput | null;

  @IsMoment()
  @IsOptional()
  expire?: Moment;

  @Max(Number.MAX_SAFE_INTEGER, BYTES)
  @Min(0, BYTES)
  @IsInt(BYTES)
  @IsOptional()
  data_limit?: number | null;

  @IsIn(DATA_LIMIT_RESET_STRATEGIES, oneOf(DATA_LIMIT_RESET_STRATEGIES))
  @IsOptional()
  data_limit_reset_strategy?: DataLimitResetStrategy | null;

  @MaxCharacters(500)
  @IsString(STRING)
  @IsOptional()
  note?: string | null;

  @Max(3_155_760_000, SECONDS)
  @Min(0, SECONDS)
  @IsInt(SECONDS)
  @IsOptional()
  on_hold_expire_duration?: number | null;

  @IsMoment()
  @IsOptional()
  on_hold_timeout?: Moment;

  @Max(36_500, DAYS)
  @IsInt(DAYS)
  @IsOptional()
  auto_delete_in_days?: number | null;
}

export class UserCreate extends UserFields {
  @IsUsername()
  @IsString(STRING)
  @IsDefined(REQUIRED)
  username: string;

  @IsIn(FIRST_STATUSES, oneOf(FIRST_STATUSES))
  @IsOptional()
  status?: (typeof FIRST_STATUSES)[number] | null;

  @ArrayNotEmpty({ message: 'you must select at least one group' })
  @OptionalIdList()
  group_ids?: number[] | null;
}

/** Absent: unchanged; null: cleared. A status or a credential cannot be cleared: there null is absent. */
export class UserModify extends UserFields {
  @IsIn(CHOSEN_STATUSES, oneOf(CHOSEN_STATUSES))
  @IsOptional()
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
