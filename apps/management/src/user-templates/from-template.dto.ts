import { MAX_INT32 } from '@rampart/domain';
import { IsDefined, IsIn, IsInt, IsOptional, IsString, Max, Min } from 'class-validator';
import { oneOf, REQUIRED, STRING } from '../validation/messages.js';
import { RejectUnknownMembers } from '../validation/reject-unknown-members.js';
import { MaxCharacters, OptionalBoolean, OptionalInteger } from '../validation/rules.js';

const ID = { message: `Input should be an integer from 1 to ${MAX_INT32}` };
const COUNT = { message: 'Input should be an integer from 1 to 500' };
const NAME_STRATEGIES = ['random', 'sequence'] as const;

abstract class TemplateUse {
  /** The id of the template. */
  @Max(MAX_INT32, ID)
  @Min(1, ID)
  @IsInt(ID)
  @IsDefined(REQUIRED)
  user_template_id: number;

  /** A note for operators. Null or absent: none for a new user, unchanged for an existing one. */
  @MaxCharacters(500)
  @IsString(STRING)
  @IsOptional()
  note?: string | null;
}

/** A user that is created from a template. */
export class UserFromTemplate extends TemplateUse {
  /**
   * The base of the name, to which the template adds its prefix and suffix. The result must be a valid name that no
   * user has.
   */
  @IsString(STRING)
  @IsDefined(REQUIRED)
  username: string;
}

/** A template that is applied to a user. An absent note leaves the user's note unchanged. */
export class UserByTemplate extends TemplateUse {}

/**
 * Users that are created from a template. The strategy `random` takes no `username` and no `start_number`; `sequence`
 * requires `username`.
 */
@RejectUnknownMembers()
export class UsersFromTemplate extends TemplateUse {
  /** The number of users to create. Names that exist are skipped in a sequence. */
  @Max(500, COUNT)
  @Min(1, COUNT)
  @IsInt(COUNT)
  @IsDefined(REQUIRED)
  count: number;

  /** `random`: names of five characters of A-Z and 0-9. `sequence`: the name and a number. */
  @IsIn(NAME_STRATEGIES, oneOf(NAME_STRATEGIES))
  @IsDefined(REQUIRED)
  strategy: (typeof NAME_STRATEGIES)[number];

  /** The name before the numbers of a sequence; digits at its end are dropped. Null or absent with `random`. */
  @MaxCharacters(128)
  @IsString(STRING)
  @IsOptional()
  username?: string | null;

  /** The first number of a sequence. Null or absent: 1. */
  @OptionalInteger(0, MAX_INT32)
  start_number?: number | null;

  /** True: no user is created, and the answer tells how many would be. */
  @OptionalBoolean()
  dry_run?: boolean | null;
}

/** The users that were created. */
export interface CreatedUsersView {
  /** The subscription URLs of the users. */
  subscription_urls: string[];
  /** The number of created users; with `dry_run` of those that would be created. */
  created: number;
}
