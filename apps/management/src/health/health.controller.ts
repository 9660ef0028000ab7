import { Controller, Get, Res } from '@nestjs/common';
import { Health, type HealthReport, healthStatus } from '@rampart/program';
import type { FastifyReply } from 'fastify';
import { Public } from '../access/access-level.js';

@Controller('health')
export class HealthController {
  constructor(private readonly parts: Health) {}

  /** Whether the service answers. */
  @Get()
  @Public()
  health(): { status: 'ok' } {
    return { status: 'ok' };
  }

  /** Whether the process answers. A service manager restarts a process that does not. */
  @Get('live')
  @Public()
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  /**
   * Whether the service can do its work: with the database, and with the connection that coordinates replicas. If it
   * cannot, the same report has the status 503 and says which part does not work and why.
   */
  @Get('ready')
  @Public()
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<HealthReport> {
    const report = await this.parts.report();
    void reply.status(healthStatus(report));
    return report;
  }
}
