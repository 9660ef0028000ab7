import { IsDefined, IsString, MaxLength } from 'class-validator';
import { REQUIRED, STRING } from '../http/messages.js';

/** The OAuth2 password form; its other members mean nothing here. */
export class Login {
  @IsString(STRING)
  @IsDefined(REQUIRED)
  username: string;

  @MaxLength(1024, { message: 'Input should have at most 1024 characters' })
  @IsString(STRING)
  @IsDefined(REQUIRED)
  password: string;
}

export interface TokenView {
  access_token: string;
  token_type: 'bearer';
}
