import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { recordAudit } from '../../audit/record-audit.js';
import { lockRevision } from '../../database/revision.js';
import { clearTraffic } from '../clear-traffic.js';
import { settleUsers } from '../life-cycle/settle-users.js';
import { tellNodes } from '../raise-revision.js';

/** Lets the traffic of all users count from zero again. Their history and their next plans stay. */
@Injectable()
export class TrafficResetService {
  constructor(private readonly database: DataSource) {}

  async resetAll(): Promise<Record<string, never>> {
    await this.database.transaction(async (manager) => {
      await lockRevision(manager);
      const users = await manager.query<{ id: number }[]>(
        'SELECT id FROM users WHERE used_traffic > 0 ORDER BY id FOR NO KEY UPDATE',
      );
      const ids = users.map(({ id }) => id);
      await clearTraffic(manager, ids);
      await tellNodes(manager, await settleUsers(manager, { ids, now: new Date() }));
      await recordAudit(manager, { action: 'user.bulk_reset', target: 'users', after: { affected_users: ids.length } });
    });
    return {};
  }
}
