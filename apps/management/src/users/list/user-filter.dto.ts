import { USER_STATUSES, type UserStatus } from '@rampart/domain';
import { IsIn, IsOptional, IsString } from 'class-validator';
import { Page } from '../../http/page.js';
import { USER_SORT } from '../../user-store/list/user-order.js';
import { oneOf, STRING, STRINGS } from '../../validation/messages.js';
import { BooleanText, integerOf, Repeatable } from '../../validation/query-values.js';
import { IdList, MaxCharacters } from '../../validation/rules.js';
import { IsSort } from '../../validation/sort-keys.js';

/** Which users a list holds, in which order. Of a member that is repeated, any value will do. */
export class UserFilter extends Page {
  /** Names of users. */
  @IsString({ each: true, ...STRINGS })
  @Repeatable()
  username?: string[];

  /** Names of admins, whose users are meant. */
  @IsString({ each: true, ...STRINGS })
  @Repeatable()
  admin?: string[];

  /** Ids of groups, of any of which the users are. */
  @IdList()
  @Repeatable(integerOf)
  group?: number[];

  /** States, in any of which the users are. */
  @IsIn(USER_STATUSES, { each: true, ...oneOf(USER_STATUSES) })
  @Repeatable()
  status?: UserStatus[];

  /** A part of the name or the note, in any case. */
  @MaxCharacters(500)
  @IsString(STRING)
  @IsOptional()
  search?: string;

  /** A credential: a UUID or a password. */
  @MaxCharacters(128)
  @IsString(STRING)
  @IsOptional()
  proxy_id?: string;

  /** Names of members, joined with commas, each with `-` before it for the descending order. Empty or absent: by id. */
  @IsSort(USER_SORT)
  @IsOptional()
  sort?: string;

  /** Whether the answer holds subscription URLs; without, they are empty. */
  @BooleanText()
  load_sub?: boolean;
}
