import { Body, Controller, HttpCode, Ip, Post } from '@nestjs/common';
import { Public } from '../access/access-level.js';
import { Login, type TokenView } from './auth.dto.js';
import { AuthService } from './auth.service.js';

@Controller('api/admin')
export class AuthController {
  constructor(private readonly auth: AuthService) {}

  /** Logs in an admin. After too many failed logins the answer is 429 with `Retry-After`. */
  @Post('token')
  @Public()
  @HttpCode(200)
  login(@Body() login: Login, @Ip() ip: string): Promise<TokenView> {
    return this.auth.login(login, ip);
  }
}
