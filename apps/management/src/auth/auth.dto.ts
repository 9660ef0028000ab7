import { IsDefined, IsOptional, IsString } from 'class-validator';
import { REQUIRED, STRING } from '../validation/messages.js';
import { MaxCharacters, OptionalText, RequiredText } from '../validation/rules.js';

/** The credentials of an admin, as JSON or as the OAuth2 password form. Other members of the form are ignored. */
export class Login {
  /** The name of the admin. */
  @MaxCharacters(1024)
  @IsString(STRING)
  @IsDefined(REQUIRED)
  username: string;

  /** The password of the admin. */
  @MaxCharacters(1024)
  @IsString(STRING)
  @IsDefined(REQUIRED)
  password: string;

  /** The code that the authenticator app shows now, or a recovery code. Only of an admin with a second factor. */
  @MaxCharacters(64)
  @IsString(STRING)
  @IsOptional()
  totp?: string | null;
}

/** The own password, and the code of the second factor if there is one. */
export class StepUp {
  /** The present password; a wrong one counts as a failed login. */
  @RequiredText(1024)
  password: string;

  /** The code that the authenticator app shows now, or a recovery code. Only of an admin with a second factor. */
  @OptionalText(64)
  totp?: string | null;
}

/** A token to send as `authorization: Bearer …`. */
export interface TokenView {
  /**
   * The token. It becomes invalid when it expires, when the password changes, and when the admin is disabled or loses
   * rights.
   */
  access_token: string;
  /** The type of the token. */
  token_type: 'bearer';
}
