import { Injectable, Logger } from '@nestjs/common';
import { RepeatedTask } from '../database/repeated-task.js';
import { ManagementEnv } from '../env/management-env.js';
import { SessionRepository } from './session.repository.js';

/** Deletes logins that have ended by themselves. */
@Injectable()
export class SessionRetention extends RepeatedTask {
  protected readonly logger = new Logger('Sessions');

  constructor(
    private readonly sessions: SessionRepository,
    private readonly env: ManagementEnv,
  ) {
    super();
  }

  run(now: Date): Promise<void> {
    return this.sessions.deleteEnded(now, this.env.sessionMinutes);
  }
}
