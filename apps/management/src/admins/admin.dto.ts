import { Transform } from 'class-transformer';
import { IsBoolean, IsDefined, IsOptional, IsString } from 'class-validator';
import type { NoEffectWarning } from '../http/no-effect.js';
import { Page } from '../http/page.js';
import { ADMIN_NAME_SCHEMA, adminNameProblem } from '../validation/admin-name.js';
import { IsFormat } from '../validation/is-format.js';
import { BOOLEAN, REQUIRED, STRING } from '../validation/messages.js';
import { PASSWORD_SCHEMA, passwordProblem } from '../validation/password-rule.js';
import { Rule } from '../validation/rule.js';
import { OptionalBoolean, OptionalInteger, OptionalObject, OptionalText, RequiredText } from '../validation/rules.js';
import { IsSort } from '../validation/sort-keys.js';
import { IsWebUrl, IsWebUrlPrefix } from '../validation/web-url.js';
import { AdminNotifications } from './store/admin-notifications.dto.js';
import { ADMIN_SORT } from './store/admin-order.js';

/** 64 bits: a number is taken as long as it is exact. */
const SNOWFLAKE = /^[1-9]\d{0,18}$/;

/** Clients send an empty text for none. */
const EmptyIsNull = (): PropertyDecorator => Transform(({ value }) => (value === '' ? null : value));

const IsAdminName = (): PropertyDecorator =>
  Rule('isAdminName', ADMIN_NAME_SCHEMA, {
    validate: (name) => typeof name === 'string' && adminNameProblem(name) === undefined,
    defaultMessage: (args) => adminNameProblem(String(args?.value)) ?? '',
  });

/** That it is not the name of the admin is seen when the admin is known. */
const IsPassword = (): PropertyDecorator =>
  Rule('isPassword', PASSWORD_SCHEMA, {
    validate: (password) => typeof password === 'string' && passwordProblem(password, '') === undefined,
    defaultMessage: (args) => passwordProblem(String(args?.value), '') ?? '',
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
  /** The number of the admin's Telegram account. Null: none. */
  @OptionalInteger(1, Number.MAX_SAFE_INTEGER)
  telegram_id?: number | null;

  /** The webhook of the admin's Discord channel, an http or https URL. Null or empty: none. */
  @IsWebUrl()
  @OptionalText(1024)
  @EmptyIsNull()
  discord_webhook?: string | null;

  /** The number of the admin's Discord account, beyond 9007199254740991 in a string. Null: none. */
  @IsSnowflake()
  @IsOptional()
  @Transform(({ value }) => (Number.isSafeInteger(value) ? String(value) : value))
  discord_id?: string | null;

  /**
   * What stands before `/sub/…` in the subscription URLs of the admin's users, an http or https URL. `*` becomes 16
   * hexadecimal digits of the user's own. Null or empty: the prefix of the settings.
   */
  @IsWebUrlPrefix()
  @OptionalText(256)
  @EmptyIsNull()
  sub_domain?: string | null;

  /**
   * The title of the subscriptions of the admin's users, a format string such as `{USERNAME}`. Null or empty: the title
   * of the settings.
   */
  @IsFormat()
  @OptionalText(512)
  @EmptyIsNull()
  profile_title?: string | null;

  /** Where the admin's users find help, an http or https URL. Null or empty: that of the settings. */
  @IsWebUrl()
  @OptionalText(1024)
  @EmptyIsNull()
  support_url?: string | null;

  /**
   * The name of a page template of another panel; it is stored and shown, and the page stays the same. Null or empty:
   * none.
   */
  @OptionalText(1024)
  @EmptyIsNull()
  sub_template?: string | null;

  /** Of which changes of its users the admin wants to hear. Null: none of them is set. */
  @OptionalObject(() => AdminNotifications)
  notification_enable?: AdminNotifications | null;

  /** A disabled admin cannot log in, and its tokens are refused; its users are served on. Null: as if absent. */
  @OptionalBoolean()
  is_disabled?: boolean | null;
}

/** A new admin. What is absent has no value, and flags are false. */
export class AdminCreate extends AdminFields {
  /** The name, which never changes: 3 to 128 characters, and not `system`. */
  @IsAdminName()
  @IsString(STRING)
  @IsDefined(REQUIRED)
  username: string;

  /** The password: 12 to 1024 characters, and not the name of the admin. */
  @IsPassword()
  @IsString(STRING)
  @IsDefined(REQUIRED)
  password: string;

  /** Whether the admin may do everything. Others see and change their own users only. */
  @IsBoolean(BOOLEAN)
  @IsDefined(REQUIRED)
  is_sudo: boolean;
}

/**
 * Changes of an admin, whose name stays. What is absent stays; null clears, but not a password or a flag: there null is
 * absent.
 */
export class AdminModify extends AdminFields {
  /** A new password of 12 to 1024 characters, which ends all logins of the admin. Null or absent: the old one stays. */
  @IsPassword()
  @IsString(STRING)
  @IsOptional()
  password?: string | null;

  /** Whether the admin may do everything. The last enabled sudo admin keeps it. */
  @OptionalBoolean()
  is_sudo?: boolean | null;
}

/** An admin's own password: every token of the admin that came from a login ends with it, this one included. */
export class PasswordChange {
  /** The present password: wrong ones count as failed logins. */
  @RequiredText(1024)
  current_password: string;

  /** The new password: 12 to 1024 characters, not the name of the admin. */
  @IsPassword()
  @IsString(STRING)
  @IsDefined(REQUIRED)
  password: string;
}

/** Which admins a list holds, in which order. */
export class AdminFilter extends Page {
  /** A part of the name, in any case. */
  @OptionalText(128)
  username?: string;

  /** Names of members, joined with commas, each with `-` before it for the descending order. Empty or absent: by id. */
  @IsSort(ADMIN_SORT)
  @IsOptional()
  sort?: string;
}

/**
 * An admin as the API shows it.
 * @membersLike AdminFields
 */
export interface AdminView {
  /** The name, which never changes. */
  username: string;
  telegram_id: number | null;
  discord_webhook: string | null;
  sub_domain: string | null;
  profile_title: string | null;
  support_url: string | null;
  notification_enable: AdminNotifications | null;
  /** The number of the admin. */
  id: number;
  /** Whether the admin may do everything. */
  is_sudo: boolean;
  /** How many users belong to the admin. */
  total_users: number;
  /** Bytes that the admin's users have used since its counter was last reset. */
  used_traffic: number;
  /** A disabled admin cannot log in, and its tokens are refused. */
  is_disabled: boolean;
  /** A string beyond what a number holds exactly. */
  discord_id: number | string | null;
  sub_template: string | null;
  /** Bytes that the admin's users have ever used. */
  lifetime_used_traffic: number;
}

/** An admin that was created or changed, with what is stored of it to no effect. */
export interface CheckedAdminView extends AdminView {
  /** Members that are stored although nothing reads them yet. */
  warnings: NoEffectWarning[];
}
