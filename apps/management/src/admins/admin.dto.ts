import { Transform } from 'class-transformer';
import { IsBoolean, IsDefined, IsOptional, IsString } from 'class-validator';
import type { NoEffectWarning } from '../http/no-effect.js';
import { Page } from '../http/page.js';
import { ADMIN_NAME_SCHEMA, adminNameProblem } from '../validation/admin-name.js';
import { IsFormat } from '../validation/is-format.js';
import { BOOLEAN, REQUIRED, STRING } from '../validation/messages.js';
import { PASSWORD_SCHEMA, passwordLengthProblem } from '../validation/password-rule.js';
import { Rule } from '../validation/rule.js';
import { OptionalBoolean, OptionalInteger, OptionalObject, OptionalText, RequiredText } from '../validation/rules.js';
import { IsSort } from '../validation/sort-keys.js';
import { IsWebUrl, IsWebUrlPrefix } from '../validation/web-url.js';
import type { PasswordWithoutCodeView } from './passwords/password-without-code.dto.js';
import { AdminNotifications } from './store/admin-notifications.dto.js';
import { ADMIN_SORT } from './store/admin-order.js';

/** Decimal digits of a 64-bit id; a number is accepted if it is exact. */
const SNOWFLAKE = /^[1-9]\d{0,18}$/;

/** Clients send an empty text for null. */
const EmptyIsNull = (): PropertyDecorator => Transform(({ value }) => (value === '' ? null : value));

const IsAdminName = (): PropertyDecorator =>
  Rule('isAdminName', ADMIN_NAME_SCHEMA, {
    validate: (name) => typeof name === 'string' && adminNameProblem(name) === undefined,
    defaultMessage: (args) => adminNameProblem(String(args?.value)) ?? '',
  });

/**
 * Judges the length alone. How easy a password is to guess takes milliseconds, and depends on the name, which a request does
 * not always contain: the admin service judges that, after the proof that a request has in its body.
 */
const IsPassword = (): PropertyDecorator =>
  Rule('isPassword', PASSWORD_SCHEMA, {
    validate: (password) => typeof password === 'string' && passwordLengthProblem(password) === undefined,
    defaultMessage: (args) => passwordLengthProblem(String(args?.value)) ?? '',
  });

const IsSnowflake = (): PropertyDecorator =>
  Rule(
    'isSnowflake',
    { type: ['string', 'integer', 'null'], pattern: SNOWFLAKE.source, minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
    { validate: (id) => typeof id === 'string' && SNOWFLAKE.test(id) },
    { message: 'Input should be an integer, beyond 9007199254740991 in a string' },
  );

/**
 * Members of an admin that creation and modification share. On modification, absent members stay unchanged and null
 * clears.
 */
class AdminFields {
  /** The id of the admin's Telegram account. Null: none. */
  @OptionalInteger(1, Number.MAX_SAFE_INTEGER)
  telegram_id?: number | null;

  /** The webhook of the admin's Discord channel, an http or https URL. Null or empty: none. */
  @IsWebUrl()
  @OptionalText(1024)
  @EmptyIsNull()
  discord_webhook?: string | null;

  /** The id of the admin's Discord account, as a string beyond 9007199254740991. Null: none. */
  @IsSnowflake()
  @IsOptional()
  @Transform(({ value }) => (Number.isSafeInteger(value) ? String(value) : value))
  discord_id?: string | null;

  /**
   * The prefix of `/sub/…` in the subscription URLs of the admin's users, an http or https URL. `*` becomes 16
   * hexadecimal digits that each user has of its own. Null or empty: the prefix of the settings.
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

  /** The address where the admin's users find help, an http or https URL. Null or empty: that of the settings. */
  @IsWebUrl()
  @OptionalText(1024)
  @EmptyIsNull()
  support_url?: string | null;

  /**
   * The name of a page template of another panel; it is stored and shown, but has no effect on the page. Null or empty:
   * none.
   */
  @OptionalText(1024)
  @EmptyIsNull()
  sub_template?: string | null;

  /** The changes of its users of which the admin wants to be notified. Null: none of them is set. */
  @OptionalObject(() => AdminNotifications)
  notification_enable?: AdminNotifications | null;

  /**
   * How many users the admin may have, unless it is a sudo admin. 0: any number. Null: as many as RAMPART_ADMIN_USERS says. Users
   * beyond it stay, and no others come.
   */
  @OptionalInteger(0, 2 ** 31 - 1)
  max_users?: number | null;

  /**
   * A disabled admin cannot log in, and its tokens are refused; its users are still served. Null or absent: unchanged.
   */
  @OptionalBoolean()
  is_disabled?: boolean | null;
}

/** A new admin. Absent members are null, and absent flags are false. */
export class AdminCreate extends AdminFields {
  /** The name, which never changes: 3 to 128 characters, and neither `system` nor `local`. */
  @IsAdminName()
  @IsString(STRING)
  @IsDefined(REQUIRED)
  username: string;

  /** The password: 12 to 1024 characters, neither the name of the admin nor easy to guess. */
  @IsPassword()
  @IsString(STRING)
  @IsDefined(REQUIRED)
  password: string;

  /** Whether the admin may do everything. Other admins see and change their own users only. */
  @IsBoolean(BOOLEAN)
  @IsDefined(REQUIRED)
  is_sudo: boolean;
}

/**
 * Changes of an admin. Its name cannot change. Absent members stay unchanged; null clears them, except for a password
 * or a flag, which stay unchanged.
 */
export class AdminModify extends AdminFields {
  /**
   * A new password of 12 to 1024 characters that is not easy to guess. It ends all logins of the admin. Null or absent: the
   * old one stays.
   */
  @IsPassword()
  @IsString(STRING)
  @IsOptional()
  password?: string | null;

  /** Whether the admin may do everything. The last enabled sudo admin keeps it. */
  @OptionalBoolean()
  is_sudo?: boolean | null;

  /** Whether all API tokens of the admin end too. Null or absent: they stay. */
  @OptionalBoolean()
  revoke_tokens?: boolean | null;
}

/**
 * A change of an admin's own password. Every token that the admin got by a login becomes invalid, including the present
 * one; the browser that makes the change stays logged in.
 */
export class PasswordChange {
  /** The present password; a wrong one counts as a failed login. */
  @RequiredText(1024)
  current_password: string;

  /** The new password: 12 to 1024 characters, neither the name of the admin nor easy to guess. */
  @IsPassword()
  @IsString(STRING)
  @IsDefined(REQUIRED)
  password: string;

  /**
   * The code that the authenticator app shows now, or a recovery code. Only of an admin with a second factor, whose login is older
   * than ten minutes.
   */
  @OptionalText(64)
  totp?: string | null;

  /** Whether all API tokens of the admin end too. Null or absent: they stay. */
  @OptionalBoolean()
  revoke_tokens?: boolean | null;
}

/** Selects and sorts the admins of a list. */
export class AdminFilter extends Page {
  /** Only admins whose name contains this text, in any case. */
  @OptionalText(128)
  username?: string;

  /**
   * Names of members to sort by, joined with commas; `-` before a name sorts in descending order. Empty or absent: by
   * id.
   */
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
  max_users: number | null;
  /** The id of the admin. */
  id: number;
  /** Whether the admin may do everything. */
  is_sudo: boolean;
  /** How many users belong to the admin. */
  total_users: number;
  /** Bytes that the admin's users have used since its counter was last reset. */
  used_traffic: number;
  /** A disabled admin cannot log in, and its tokens are refused. */
  is_disabled: boolean;
  /** The id of the admin's Discord account; a string if a number cannot hold it exactly. */
  discord_id: number | string | null;
  sub_template: string | null;
  /** Bytes that the admin's users have ever used. */
  lifetime_used_traffic: number;
  /** Another text after every edit. A change that sends it as `If-Match` is refused when the object has another one. */
  version: string;
}

/** The admin who asks. */
export interface OwnAdminView extends AdminView {
  /** Whether the settings require a second factor that the admin does not have: until then it can only set one up. */
  must_set_up_totp: boolean;
  /**
   * Where the own password was used without a code in the last 30 days, newest first: if it was somebody else, a new password is
   * needed, which empties the list.
   */
  passwords_without_code: PasswordWithoutCodeView[];
}

/** An admin that was created or changed, with warnings for stored members that have no effect. */
export interface CheckedAdminView extends AdminView {
  /** One warning for each stored member that nothing reads yet. */
  warnings: NoEffectWarning[];
}
