import { IsDefined, IsString } from 'class-validator';
import { REQUIRED, STRING } from '../validation/messages.js';
import { MaxCharacters } from '../validation/rules.js';

/** The credentials of an admin, as JSON or as the OAuth2 password form; other members of the form mean nothing here. */
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

/** A token for the header `authorization: Bearer`. */
export interface TokenView {
  /** The token. It ends with its lifetime, with a new password, and when the admin is disabled or loses rights. */
  access_token: string;
  /** How the token is sent. */
  token_type: 'bearer';
}
