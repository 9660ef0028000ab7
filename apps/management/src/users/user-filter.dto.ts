import { USER_STATUSES, type UserStatus } from '@rampart/domain';
import { Transform } from 'class-transformer';
import { IsBoolean, IsIn, IsOptional, IsString, ValidateBy } from 'class-validator';
import { BOOLEAN, oneOf, STRING, STRINGS } from '../http/messages.js';
import { Page } from '../http/page.js';
import { MaxCharacters, OptionalIdList } from '../http/rules.js';
import { isSort } from './user-order.js';

/** A member that a query may repeat. */
const Repeatable = (): PropertyDecorator =>
  Transform(({ value }) => (value === undefined ? undefined : [value].flat()));

/** The same with ids: a query has nothing but text. */
const RepeatableIds = (): PropertyDecorator =>
  Transform(({ value }) => (value === undefined ? undefined : [value].flat().map(Number)));

/** Which users a list holds, in which order. Of a member that is repeated, any value will do. */
export class UserFilter extends Page {
  @IsString({ each: true, ...STRINGS })
  @Repeatable()
  @IsOptional()
  username?: string[];

  /** User names of admins. */
  @IsString({ each: true, ...STRINGS })
  @Repeatable()
  @IsOptional()
  admin?: string[];

  @OptionalIdList()
  @RepeatableIds()
  group?: number[];

  @IsIn(USER_STATUSES, { each: true, ...oneOf(USER_STATUSES) })
  @Repeatable()
  @IsOptional()
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

  @ValidateBy(
    { name: 'isSort', validator: { validate: isSort } },
    { message: ({ value }) => `"${String(value)}" is not a valid sort option` },
  )
  @IsOptional()
  sort?: string;

  /** Whether the answer holds subscription URLs. */
  @IsBoolean(BOOLEAN)
  @Transform(({ value }) => ({ true: true, '1': true, false: false, '0': false })[String(value)] ?? value)
  @IsOptional()
  load_sub?: boolean;
}
