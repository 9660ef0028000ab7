import { IsDefined, IsIn, IsInt, IsOptional, IsString, Max, Min } from 'class-validator';
import { oneOf, REQUIRED, STRING } from '../http/messages.js';
import { OnlyKnownMembers } from '../http/only-known.js';
import { MaxCharacters, OptionalInteger } from '../http/rules.js';

const LARGEST = 2 ** 31 - 1;
const ID = { message: `Input should be an integer from 1 to ${LARGEST}` };
const COUNT = { message: 'Input should be an integer from 1 to 500' };
const NAME_STRATEGIES = ['random', 'sequence'] as const;

abstract class TemplateUse {
  @Max(LARGEST, ID)
  @Min(1, ID)
  @IsInt(ID)
  @IsDefined(REQUIRED)
  user_template_id: number;

  @MaxCharacters(500)
  @IsString(STRING)
  @IsOptional()
  note?: string | null;
}

export class UserFromTemplate extends TemplateUse {
  @IsString(STRING)
  @IsDefined(REQUIRED)
  username: string;
}

/** A note that is left out stays as it is. */
export class UserByTemplate extends TemplateUse {}

@OnlyKnownMembers()
export class UsersFromTemplate extends TemplateUse {
  @Max(500, COUNT)
  @Min(1, COUNT)
  @IsInt(COUNT)
  @IsDefined(REQUIRED)
  count: number;

  @IsIn(NAME_STRATEGIES, oneOf(NAME_STRATEGIES))
  @IsDefined(REQUIRED)
  strategy: (typeof NAME_STRATEGIES)[number];

  @MaxCharacters(128)
  @IsString(STRING)
  @IsOptional()
  username?: string | null;

  @OptionalInteger(0, LARGEST)
  start_number?: number | null;
}

export interface CreatedUsersView {
  subscription_urls: string[];
  created: number;
}
