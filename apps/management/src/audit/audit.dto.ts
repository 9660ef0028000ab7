import { MAX_INT32 } from '@rampart/domain';
import { IsInt, IsOptional, IsString, Max, Min } from 'class-validator';
import { STRING } from '../validation/messages.js';
import { IsMoment, QueriedMoment } from '../validation/moment.js';
import { IntegerText } from '../validation/query-values.js';
import { MaxCharacters } from '../validation/rules.js';
import type { Difference } from './difference.js';

const NEXT = { message: 'Input should be the next of the page before' };
const TOKEN = { message: 'Input should be the id of an API token' };
const LIMIT = { message: 'Input should be an integer from 1 to 1000' };

/** Filters for the audit log. The newest entries come first. */
export class AuditFilter {
  /** The name of an admin, `system` for management itself, `local` for commands, `(unauthenticated)` for failed logins. */
  @MaxCharacters(128)
  @IsString(STRING)
  @IsOptional()
  actor?: string;

  /** The id of an API token: what was done with it. */
  @Max(MAX_INT32, TOKEN)
  @Min(1, TOKEN)
  @IsInt(TOKEN)
  @IntegerText()
  @IsOptional()
  token?: number;

  /** An action such as `group.modify`, or `group` for all actions on groups. */
  @MaxCharacters(64)
  @IsString(STRING)
  @IsOptional()
  action?: string;

  /** What was changed, such as `group/5`. */
  @MaxCharacters(512)
  @IsString(STRING)
  @IsOptional()
  target?: string;

  /** Only changes at or after this time. */
  @IsMoment()
  @QueriedMoment()
  @IsOptional()
  since?: number | string;

  /** Only changes before this time. */
  @IsMoment()
  @QueriedMoment()
  @IsOptional()
  until?: number | string;

  /** The `next` of the previous page. Absent for the first page. */
  @Max(Number.MAX_SAFE_INTEGER, NEXT)
  @Min(1, NEXT)
  @IsInt(NEXT)
  @IntegerText()
  @IsOptional()
  before?: number;

  /** The maximum number of entries on a page. Absent means 100. */
  @Max(1000, LIMIT)
  @Min(1, LIMIT)
  @IsInt(LIMIT)
  @IntegerText()
  @IsOptional()
  limit?: number;
}

/** An API token as it was when a change was made with it. */
export interface AuditTokenView {
  /** The id of the API token. */
  id: number;
  /** The name of the API token. */
  name: string;
}

/** An entry of the audit log. */
export interface AuditEntryView {
  /** The number of the entry. Later entries have larger numbers. */
  id: number;
  /**
   * When the change was made.
   * @format date-time
   */
  at: string;
  /** The name of the admin when the change was made, `system`, or `local` for commands on the machine of management. */
  actor: string;
  /** The id of the admin. Null for changes by management itself, for commands and for failed logins. */
  actor_id: number | null;
  /** The API token with which the change was made. Null: with none. */
  token: AuditTokenView | null;
  /** The id of the login, of a browser or a program, with which the change was made. Null: with none. */
  session_id: number | null;
  /** The IP address of the client, `local` for commands. Null when no request caused the change. */
  address: string | null;
  /** What was done, such as `group.modify`. */
  action: string;
  /** What was changed, such as `group/5`. */
  target: string;
  /** The members that changed, without secrets. */
  difference: Difference;
}

/** A page of the audit log, newest entries first. */
export interface AuditListView {
  /** The entries of the page. */
  entries: AuditEntryView[];
  /** The value of `before` for the next page. Null on the last page. */
  next: number | null;
}
