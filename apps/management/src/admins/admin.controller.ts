import { Controller, Get } from '@nestjs/common';
import { AnyAdmin } from '../auth/access-level.js';
import { type Actor, CurrentAdmin } from '../auth/actor.js';
import type { AdminView } from './admin.dto.js';
import { AdminService } from './admin.service.js';

@Controller('api/admin')
export class AdminController {
  constructor(private readonly admins: AdminService) {}

  @Get()
  @AnyAdmin()
  self(@CurrentAdmin() actor: Actor): Promise<AdminView> {
    return this.admins.self(actor);
  }
}
