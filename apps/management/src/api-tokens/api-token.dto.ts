import { IsDefined, IsIn, IsOptional } from 'class-validator';
import { TOKEN_SCOPES, type TokenScope } from '../access/token-scope.js';
import { Page } from '../http/page.js';
import { oneOf, REQUIRED } from '../validation/messages.js';
import { IsMoment, type Moment } from '../validation/moment.js';
import { OptionalText, RequiredText } from '../validation/rules.js';

/** A new token of the admin who asks. */
export class ApiTokenCreate {
  /** What it is for. */
  @RequiredText(64)
  name: string;

  /**
   * What the token may do of what its admin may: `read` is every GET, `users` is all about users and the reading of groups
   * and templates, `all` is everything.
   */
  @IsIn(TOKEN_SCOPES, oneOf(TOKEN_SCOPES))
  @IsDefined(REQUIRED)
  scope: TokenScope;

  /** When the token ends, a moment in the future. Null, 0 or absent: never. */
  @IsMoment()
  @IsOptional()
  expires_at?: Moment;
}

/** Which tokens a list holds, the newest first. Admins who are not sudo get their own. */
export class ApiTokenFilter extends Page {
  /** The name of the admin whose tokens they are. */
  @OptionalText(128)
  admin?: string;
}

/** A token, without what it is. */
export interface ApiTokenView {
  /** The id of the token. */
  id: number;
  /** What it is for. */
  name: string;
  /** The name of the admin whose token it is. */
  admin: string;
  /** What the token may do of what its admin may. */
  scope: TokenScope;
  /**
   * When it ends; null: never.
   * @format date-time
   */
  expires_at: string | null;
  /**
   * When it was created.
   * @format date-time
   */
  created_at: string;
  /**
   * When it was used last, to the minute; null: never.
   * @format date-time
   */
  last_used_at: string | null;
}

/** A token that was created. */
export interface CreatedApiTokenView extends ApiTokenView {
  /** Shown this once: `authorization: Bearer …` of requests. */
  token: string;
}

/** A page of tokens. */
export interface ApiTokenListView {
  /** The newest first. */
  tokens: ApiTokenView[];
  /** How many tokens all pages have together. */
  total: number;
}
