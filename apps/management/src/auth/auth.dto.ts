import { IsDefined, IsString } from 'class-validator';
import { REQUIRED, STRING } from '../validation/messages.js';
import { MaxCharacters } from '../validation/rules.js';

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
