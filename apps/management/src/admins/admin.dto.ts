import { Transform } from 'class-transformer';
import { IsBoolean, IsDefined, IsOptional, IsString } from 'class-validator';
import { IsFormat } from '../http/is-format.js';
import { BOOLEAN, REQUIRED, STRING } from '../http/messages.js';
import { Page } from '../http/page.js';
import { Rule } from '../http/rule.js';
import { OptionalBoolean, OptionalInteger, OptionalObject, OptionalText } from '../http/rules.js';
import { IsSort } from '../http/sort-keys.js';
import { IsWebUrl, IsWebUrlPrefix } from '../http/web-url.js';
import { ADMIN_NAME_SCHEMA, adminNameProblem } from './admin-name.js';
import { AdminNotifications } from './admin-notifications.dto.js';
import { ADMIN_SORT } from './admin-order.js';

/** 64 bits: a number is taken as long as it is exact. */
const SNOWFLAKE = /^[1-9]\d{0,18}$/;

/** Clients send an empty text for none. */
const EmptyIsNull = (): PropertyDecorator => Transform(({ value }) => (value === '' ? null : value));

const IsAdminName = (): PropertyDecorator =>
  Rule('isAdminName', ADMIN_NAME_SCHEMA, {
    validate: (name) => typeof name === 'string' && adminNameProblem(name) === undefined,
    defaultMessage: (args) => adminNameProblem(String(args?.value)) ?? '',
  });

const IsSnowflake = (): PropertyDecorator =>
  Rule(
    'isSnowflake',
    { type: ['string', 'integer', 'null'], pattern: SNOWFLAKE.source, minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
    { validate: (id) => typeof id === 'string' && SNOWFLAKE.test(id) },
    { message: 'Input should be an integer, beyond 9007199254740991 in a string' },
  );

/** What can be said of an admin when it is made and later. Of an admin that exists: absent stays, null clears. */
class AdminFields {
  @OptionalInteger(1, Number.MAX_SAFE_INTEGER)
  telegram_id?: number | null;

  @IsWebUrl()
  @OptionalText(1024)
  @EmptyIsNull()
  discord_webhook?: string | null;

  @IsSnowflake()
  @IsOptional()
  @Transform(({ value }) => (Number.isSafeInteger(value) ? String(value) : value))
  discord_id?: string | null;

  /** `*` becomes 16 hexadecimal digits of the user's own. */
  @IsWebUrlPrefix()
  @OptionalText(256)
  @EmptyIsNull()
  sub_domain?: string | null;

  @IsFormat()
  @OptionalText(512)
  @EmptyIsNull()
  profile_title?: string | null;

  @IsWebUrl()
  @OptionalText(1024)
  @EmptyIsNull()
  support_url?: string | null;

  @OptionalText(1024)
  @EmptyIsNull()
  sub_template?: string | null;

  @OptionalObject(() => AdminNotifications)
  notification_enable?: AdminNotifications | null;

  @OptionalBoolean()
  is_disabled?: boolean | null;
}

export class AdminCreate extends AdminFields {
  @IsAdminName()
  @IsString(STRING)
  @IsDefined(REQUIRED)
  username: string;

  @IsString(STRING)
  @IsDefined(REQUIRED)
  password: string;

  @IsBoolean(BOOLEAN)
  @IsDefined(REQUIRED)
  is_sudo: boolean;
}

/** The name cannot change. A password or a flag cannot be cleared: there null is absent. */
export class AdminModify extends AdminFields {
  @IsString(STRING)
  @IsOptional()
  password?: string | null;

  @OptionalBoolean()
  is_sudo?: boolean | null;
}

/** Which admins a list holds, in which order. */
export class AdminFilter extends Page {
  /** A part of the name, in any case. */
  @OptionalText(128)
  username?: string;

  @IsSort(ADMIN_SORT)
  @IsOptional()
  sort?: string;
}

export interface AdminView {
  username: string;
  telegram_id: number | null;
  discord_webhook: string | null;
  sub_domain: string | null;
  profile_title: string | null;
  support_url: string | null;
  notification_enable: AdminNotifications | null;
  id: number;
  is_sudo: boolean;
  total_users: number;
  used_traffic: number;
  is_disabled: boolean;
  /** A string beyond what a number holds exactly. */
  discord_id: number | string | null;
  sub_template: string | null;
  lifetime_used_traffic: number;
}
