import { IsDefined, IsString } from 'class-validator';
import { REQUIRED, STRING } from '../http/messages.js';
import { MaxCharacters } from '../http/rules.js';

/** The OAuth2 password form; its other members mean nothing here. */
export class Login {
  @MaxCharacters(1024)
  @IsString(STRING)
  @IsDefined(REQUIRED)
  username: string;

  @MaxCharacters(1024)
  @IsString(STRING)
  @IsDefined(REQUIRED)
  password: string;
}

export interface TokenView {
  access_token: string;
  token_type: 'bearer';
}
