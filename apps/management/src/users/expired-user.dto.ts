import { IsOptional, IsString } from 'class-validator';
import { STRING } from '../http/messages.js';
import { IsMoment, type Moment, QueriedMoment } from '../http/moment.js';
import { MaxCharacters } from '../http/rules.js';

/** Which of the expired users are meant: those whose end lies between the two moments. */
export class ExpiredUserFilter {
  @IsMoment()
  @QueriedMoment()
  @IsOptional()
  expired_after?: Moment;

  @IsMoment()
  @QueriedMoment()
  @IsOptional()
  expired_before?: Moment;

  @MaxCharacters(128)
  @IsString(STRING)
  @IsOptional()
  admin_username?: string;
}

export interface DeletedUsersView {
  users: string[];
  count: number;
}
