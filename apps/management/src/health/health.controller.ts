import { Controller, Get } from '@nestjs/common';
import { Public } from '../access/access-level.js';

@Controller('health')
export class HealthController {
  /** Whether the service answers. */
  @Get()
  @Public()
  health(): { status: 'ok' } {
    return { status: 'ok' };
  }
}
