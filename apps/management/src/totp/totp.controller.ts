import { Body, Controller, Delete, Get, HttpCode, Ip, Param, Post } from '@nestjs/common';
import { AnyAdmin, ChangesIdentity, Sudo } from '../access/access-level.js';
import { type Actor, CurrentAdmin } from '../access/actor.js';
import {
  type RecoveryCodesView,
  TotpConfirmation,
  type TotpEnrolment,
  TotpPassword,
  TotpRemoval,
  type TotpView,
} from './totp.dto.js';
import { TotpService } from './totp.service.js';

@Controller('api')
export class TotpController {
  constructor(private readonly totps: TotpService) {}

  /** Returns whether the caller has a second factor. */
  @Get('admin/totp')
  @AnyAdmin()
  view(@CurrentAdmin() actor: Actor): Promise<TotpView> {
    return this.totps.view(actor);
  }

  /** Gives the caller a secret for an authenticator app. It has no effect until it is confirmed. */
  @Post('admin/totp')
  @AnyAdmin()
  @ChangesIdentity('body')
  enrol(@CurrentAdmin() actor: Actor, @Body() body: TotpPassword, @Ip() ip: string): Promise<TotpEnrolment> {
    return this.totps.enrol(actor, body, ip);
  }

  /** Begins to ask the caller's logins for a code, ends all others, and returns recovery codes. */
  @Post('admin/totp/confirm')
  @AnyAdmin()
  @ChangesIdentity()
  @HttpCode(200)
  confirm(@CurrentAdmin() actor: Actor, @Body() confirmation: TotpConfirmation): Promise<RecoveryCodesView> {
    return this.totps.confirm(actor, confirmation);
  }

  /** Removes the caller's second factor, and ends all its other logins. */
  @Post('admin/totp/disable')
  @AnyAdmin()
  @ChangesIdentity('body')
  @HttpCode(204)
  disable(@CurrentAdmin() actor: Actor, @Body() body: TotpRemoval, @Ip() ip: string): Promise<void> {
    return this.totps.disable(actor, body, ip);
  }

  /** Removes the second factor of another admin who has lost it, and ends all logins of that admin. */
  @Delete('admin/:username/totp')
  @Sudo()
  @ChangesIdentity()
  @HttpCode(204)
  reset(@CurrentAdmin() actor: Actor, @Param('username') username: string): Promise<void> {
    return this.totps.reset(actor, username);
  }
}
