import { IsInt, IsOptional, IsString, Max, Min } from 'class-validator';
import { STRING } from '../validation/messages.js';
import { IsMoment, QueriedMoment } from '../validation/moment.js';
import { IntegerText } from '../validation/query-values.js';
import { MaxCharacters } from '../validation/rules.js';
import type { Difference } from './difference.js';

const NEXT = { message: 'Input should be the next of the page before' };
const LIMIT = { message: 'Input should be an integer from 1 to 1000' };

/** Which changes are meant; the newest come first. */
export class AuditFilter {
  /** An admin's name, `system` for management itself, or `(unauthenticated)` for failed logins. */
  @MaxCharacters(128)
  @IsString(STRING)
  @IsOptional()
  actor?: string;

  /** An action such as `group.modify`, or `group` for all that happens to groups. */
  @MaxCharacters(64)
  @IsString(STRING)
  @IsOptional()
  action?: string;

  /** What was changed, such as `group/5`. */
  @MaxCharacters(512)
  @IsString(STRING)
  @IsOptional()
  target?: string;

  /** Changes of this moment and later. */
  @IsMoment()
  @QueriedMoment()
  @IsOptional()
  since?: number | string;

  /** Changes before this moment. */
  @IsMoment()
  @QueriedMoment()
  @IsOptional()
  until?: number | string;

  /** The `next` of the page before this one. Absent: the first page. */
  @Max(Number.MAX_SAFE_INTEGER, NEXT)
  @Min(1, NEXT)
  @IsInt(NEXT)
  @IntegerText()
  @IsOptional()
  before?: number;

  /** The largest number of entries, 100 when absent. */
  @Max(1000, LIMIT)
  @Min(1, LIMIT)
  @IsInt(LIMIT)
  @IntegerText()
  @IsOptional()
  limit?: number;
}

/** One change. */
export interface AuditEntryView {
  /** The number of the entry; later ones are larger. */
  id: number;
  /**
   * When the change was made.
   * @format date-time
   */
  at: string;
  /** The name of the admin at that time, or `system`. */
  actor: string;
  /** The id of the admin; null: management itself, or nobody who was logged in. */
  actor_id: number | null;
  /** The IP address from which the request came; null: no request. */
  address: string | null;
  /** What was done, such as `group.modify`. */
  action: string;
  /** To what, such as `group/5`. */
  target: string;
  /** What changed, without secrets. */
  difference: Difference;
}

/** A page of changes, the newest first. */
export interface AuditListView {
  /** The changes. */
  entries: AuditEntryView[];
  /** What `before` has to be for the page after this one; null: this is the last. */
  next: number | null;
}
