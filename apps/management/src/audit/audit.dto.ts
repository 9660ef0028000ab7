import { Type } from 'class-transformer';
import { IsInt, IsOptional, IsString, Max, Min } from 'class-validator';
import { STRING } from '../http/messages.js';
import { IsMoment, type Moment, QueriedMoment } from '../http/moment.js';
import { MaxCharacters } from '../http/rules.js';
import type { Difference } from './difference.js';

const NEXT = { message: 'Input should be the next of the page before' };
const LIMIT = { message: 'Input should be an integer from 1 to 1000' };

/** Which changes are meant; the newest come first. */
export class AuditFilter {
  /** An admin's name, or `system`. */
  @MaxCharacters(128)
  @IsString(STRING)
  @IsOptional()
  actor?: string;

  /** `group.modify`, or `group` for all that happens to groups. */
  @MaxCharacters(64)
  @IsString(STRING)
  @IsOptional()
  action?: string;

  /** `group/5` */
  @MaxCharacters(512)
  @IsString(STRING)
  @IsOptional()
  target?: string;

  @IsMoment()
  @QueriedMoment()
  @IsOptional()
  since?: Moment;

  @IsMoment()
  @QueriedMoment()
  @IsOptional()
  until?: Moment;

  /** The `next` of the page before. */
  @Max(Number.MAX_SAFE_INTEGER, NEXT)
  @Min(1, NEXT)
  @IsInt(NEXT)
  @Type(() => Number)
  @IsOptional()
  before?: number;

  @Max(1000, LIMIT)
  @Min(1, LIMIT)
  @IsInt(LIMIT)
  @Type(() => Number)
  @IsOptional()
  limit?: number;
}

export interface AuditEntryView {
  id: number;
  at: string;
  actor: string;
  actor_id: number | null;
  address: string | null;
  action: string;
  target: string;
  difference: Difference;
}

export interface AuditListView {
  entries: AuditEntryView[];
  /** What `before` has to be for the page after this one; null: this is the last. */
  next: number | null;
}
