import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { withAdvisoryLock } from '../../database/advisory-lock.js';
import { RepeatedTask } from '../../database/repeated-task.js';
import { forgetPastTags } from '../../user-store/served/users-without-access.js';
import { GRACE_MS } from './judge-traffic.js';

/** Advisory lock of the replica that forgets past inbounds. */
const PAST_TAGS_LOCK = 0x74_61_67_73; // "tags"

/** Forgets which inbounds users, groups and nodes had in the past, once no node can report traffic of that time any more. */
@Injectable()
export class PastTagsRetention extends RepeatedTask {
  protected readonly logger = new Logger('Nodes');

  constructor(private readonly database: DataSource) {
    super();
  }

  async run(now: Date): Promise<void> {
    await withAdvisoryLock(this.database, PAST_TAGS_LOCK, async (manager) => {
      const [oldest] = await manager.query<{ settled_at: Date | null }[]>(
        `SELECT min(traffic_settled_at) AS settled_at FROM nodes WHERE status <> 'disabled'`,
      );
      const before = new Date(Math.min((oldest?.settled_at ?? now).getTime(), now.getTime()) - GRACE_MS);
      await forgetPastTags(manager, before);
      await manager.query('DELETE FROM past_node_tags WHERE until < $1', [before]);
    });
  }
}
