import { Controller, Get, Query } from '@nestjs/common';
import { AnyAdmin } from '../access/access-level.js';
import { type Actor, CurrentAdmin } from '../access/actor.js';
import { SystemQuery, type SystemView } from './system.dto.js';
import { SystemService } from './system.service.js';

@Controller('api/system')
export class SystemController {
  constructor(private readonly system: SystemService) {}

  /** Returns figures of the machine and counts of users. */
  @Get()
  @AnyAdmin()
  view(@CurrentAdmin() actor: Actor, @Query() query: SystemQuery): Promise<SystemView> {
    return this.system.view(actor, query);
  }
}
