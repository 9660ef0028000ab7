import { Page } from '../http/page.js';
import { OptionalText } from '../validation/rules.js';

/** Selects the sessions of a list, newest first. Admins who are not sudo get only their own. */
export class SessionFilter extends Page {
  /** Only sessions of the admin with this name. */
  @OptionalText(128)
  admin?: string;
}

/** A login of an admin in a browser. */
export interface SessionView {
  /** The id of the session. */
  id: number;
  /** The name of the admin. */
  admin: string;
  /** The address from which the admin logged in. */
  address: string;
  /** What the browser called itself; null: nothing. */
  user_agent: string | null;
  /**
   * The moment when the session began.
   * @format date-time
   */
  created_at: string;
  /**
   * The moment when the session was last used, to the minute.
   * @format date-time
   */
  last_used_at: string;
  /** Whether this request uses the session. */
  is_current: boolean;
}

/** A page of sessions. */
export interface SessionListView {
  /** The sessions of the page, newest first. */
  sessions: SessionView[];
  /** The number of sessions on all pages together. */
  total: number;
}
