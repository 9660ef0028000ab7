import { IsDefined, IsString, MaxLength } from 'class-validator';
import { atMost, REQUIRED, STRING } from '../http/messages.js';

/** The OAuth2 password form; its other members mean nothing here. */
export class Login {
  @MaxLength(1024, atMost(1024))
  @IsString(STRING)
  @IsDefined(REQUIRED)
  username: string;

  @MaxLength(1024, atMost(1024))
  @IsString(STRING)
  @IsDefined(REQUIRED)
  password: string;
}

export interface TokenView {
  access_token: string;
  token_type: 'bearer';
}
