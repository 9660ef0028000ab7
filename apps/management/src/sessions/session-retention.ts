import { Injectable, Logger } from '@nestjs/common';
import { HourlyTask } from '../database/hourly-task.js';
import { ManagementEnv } from '../env/management-env.js';
import { SessionRepository } from './session.repository.js';

const MINUTE_MS = 60_000;

/** Deletes sessions that have ended because nobody used them. */
@Injectable()
export class SessionRetention extends HourlyTask {
  protected readonly logger = new Logger('Sessions');

  constructor(
    private readonly sessions: SessionRepository,
    private readonly env: ManagementEnv,
  ) {
    super();
  }

  run(now: Date): Promise<void> {
    return this.sessions.deleteUnusedSince(new Date(now.getTime() - this.env.sessionMinutes * MINUTE_MS));
  }
}
