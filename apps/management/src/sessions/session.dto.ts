import { Page } from '../http/page.js';
import { OptionalText } from '../validation/rules.js';
import type { SessionKind } from './session.entity.js';

/** Selects the logins of a list, newest first. Admins who are not sudo get only their own. */
export class SessionFilter extends Page {
  /** Only logins of the admin with this name. */
  @OptionalText(128)
  admin?: string;
}

/** Whose logins to end. */
export class SessionOwner {
  /** The name of the admin. Only sudo admins may name another one. Absent: the caller. */
  @OptionalText(128)
  admin?: string;
}

/** How many logins have ended. */
export interface EndedSessionsView {
  /** The number of logins that have ended. */
  ended: number;
}

/** A login of an admin. */
export interface SessionView {
  /** The id of the login. */
  id: number;
  /** The name of the admin. */
  admin: string;
  /** `browser`: a session with a cookie; `token`: a program that has got a login token. */
  kind: SessionKind;
  /** The address from which the admin logged in. */
  address: string;
  /** What the browser or the program called itself; null: nothing. */
  user_agent: string | null;
  /**
   * The moment of the login.
   * @format date-time
   */
  created_at: string;
  /**
   * The moment when the login was last used, to the minute.
   * @format date-time
   */
  last_used_at: string;
  /**
   * The moment when the admin has last shown password and second factor to this login.
   * @format date-time
   */
  authenticated_at: string;
  /**
   * The moment when the login ends, however much it is used.
   * @format date-time
   */
  expires_at: string;
  /** Whether this request uses the login. */
  is_current: boolean;
}

/** A page of logins. */
export interface SessionListView {
  /** The logins of the page, newest first. */
  sessions: SessionView[];
  /** The number of logins on all pages together. */
  total: number;
}
