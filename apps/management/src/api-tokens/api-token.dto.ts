import { IsDefined, IsIn, IsOptional } from 'class-validator';
import { TOKEN_GRANTS, TOKEN_SCOPES, type TokenGrant, type TokenScope } from '../access/token-scope.js';
import { Page } from '../http/page.js';
import { oneOf, REQUIRED } from '../validation/messages.js';
import { IsMoment, type Moment } from '../validation/moment.js';
import { OptionalNetworks, OptionalSeveralOf, OptionalText, RequiredText } from '../validation/rules.js';

/** A new API token. */
export class ApiTokenCreate {
  /** The name of the admin to whom the token belongs. Only sudo admins may name another one. Null or absent: the caller. */
  @OptionalText(128)
  admin_username?: string | null;

  /** The purpose of the token. */
  @RequiredText(64)
  name: string;

  /**
   * The part of its admin's rights that the token has: `read` is every GET, `users` is everything about users and the
   * reading of groups and templates, `all` is everything.
   */
  @IsIn(TOKEN_SCOPES, oneOf(TOKEN_SCOPES))
  @IsDefined(REQUIRED)
  scope: TokenScope;

  /**
   * What the token may do beside its scope: `identity` is changing admins, their second factors, API tokens and connections of
   * nodes, which needs the scope `all` too; `secrets` is reading secrets. Null or absent: neither.
   */
  @OptionalSeveralOf(TOKEN_GRANTS)
  grants?: TokenGrant[] | null;

  /**
   * Networks from which the token may be used, such as `192.0.2.0/24`, or single addresses. Null, empty or absent: from
   * everywhere.
   */
  @OptionalNetworks(100)
  allowed_networks?: string[] | null;

  /**
   * When the token ends, a moment in the future, at most `RAMPART_API_TOKEN_DAYS` from now. Null, 0 or absent: never, which
   * that setting allows only with 0.
   */
  @IsMoment()
  @IsOptional()
  expires_at?: Moment;
}

/** Selects the tokens of a list, newest first. Admins who are not sudo get only their own. */
export class ApiTokenFilter extends Page {
  /** Only tokens of the admin with this name. */
  @OptionalText(128)
  admin?: string;
}

/** Whose tokens to delete. */
export class ApiTokenOwner {
  /** The name of the admin. Only sudo admins may name another one. Absent: the caller. */
  @OptionalText(128)
  admin?: string;
}

/** How many tokens were deleted. */
export interface DeletedApiTokensView {
  /** The number of tokens that were deleted, those included that were created with them. */
  deleted: number;
}

/** A token as lists show it, without the secret. */
export interface ApiTokenView {
  /** The id of the token. */
  id: number;
  /** The purpose of the token. */
  name: string;
  /** The name of the admin to whom the token belongs. */
  admin: string;
  /** The part of its admin's rights that the token has. */
  scope: TokenScope;
  /** What the token may do beside its scope. */
  grants: TokenGrant[];
  /** Networks from which the token may be used; empty: any. */
  allowed_networks: string[];
  /** The id of the API token that has created this one, and with which it ends; null: none. */
  made_by: number | null;
  /**
   * The moment when the token ends; null: never.
   * @format date-time
   */
  expires_at: string | null;
  /**
   * The moment when the token was created.
   * @format date-time
   */
  created_at: string;
  /**
   * The moment when the token was last used, to the minute; null: never.
   * @format date-time
   */
  last_used_at: string | null;
}

/** A token that was created. */
export interface CreatedApiTokenView extends ApiTokenView {
  /** The secret, for the header `authorization: Bearer …`. It is shown only in this answer. */
  token: string;
}

/** A page of tokens. */
export interface ApiTokenListView {
  /** The tokens of the page, newest first. */
  tokens: ApiTokenView[];
  /** The number of tokens on all pages together. */
  total: number;
}
