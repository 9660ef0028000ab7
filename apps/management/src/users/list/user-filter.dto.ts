import { USER_STATUSES, type UserStatus } from '@rampart/domain';
import { IsIn, IsOptional, IsString } from 'class-validator';
import { Page } from '../../http/page.js';
import { USER_SORT } from '../../user-store/list/user-order.js';
import { oneOf, STRING, STRINGS } from '../../validation/messages.js';
import { BooleanText, CommaSeparated, integerOf, Repeatable } from '../../validation/query-values.js';
import { IdList, MaxCharacters } from '../../validation/rules.js';
import { IsSort } from '../../validation/sort-keys.js';
import { USER_FIELDS, type UserView } from '../view/user.dto.js';

/** Selects and sorts the users of a list. A repeated parameter selects users that match any of its values. */
export class UserFilter extends Page {
  /** Only users with one of these names. */
  @IsString({ each: true, ...STRINGS })
  @Repeatable()
  username?: string[];

  /** Only users of the admins with these names. */
  @IsString({ each: true, ...STRINGS })
  @Repeatable()
  admin?: string[];

  /** Only users in at least one of the groups with these ids. */
  @IdList()
  @Repeatable(integerOf)
  group?: number[];

  /** Only users in one of these states. */
  @IsIn(USER_STATUSES, { each: true, ...oneOf(USER_STATUSES) })
  @Repeatable()
  status?: UserStatus[];

  /**
   * Only users whose name or note contains this text, in any case. For API tokens that see no secrets, notes with logins
   * are not searched.
   */
  @MaxCharacters(500)
  @IsString(STRING)
  @IsOptional()
  search?: string;

  /** Only users with this credential, which is a UUID or a password. API tokens that only read need the grant `secrets`. */
  @MaxCharacters(128)
  @IsString(STRING)
  @IsOptional()
  proxy_id?: string;

  /**
   * Names of members to sort by, joined with commas; `-` before a name sorts in descending order. Empty or absent: by
   * id.
   */
  @IsSort(USER_SORT)
  @IsOptional()
  sort?: string;

  /**
   * The names of the members that the users of the list have, joined with commas or repeated, such as
   * `id,username,status`. A list without `proxy_settings` is read faster. Empty or absent: all members.
   */
  @IsIn(USER_FIELDS, { each: true, ...oneOf(USER_FIELDS) })
  @CommaSeparated()
  fields?: (keyof UserView)[];

  /** True: the answer contains subscription URLs. False or absent: they are empty. */
  @BooleanText()
  load_sub?: boolean;
}
