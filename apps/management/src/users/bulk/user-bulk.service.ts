import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { recordAudit } from '../../audit/record-audit.js';
import type { Actor } from '../../auth/actor.js';
import { lockRevision } from '../../database/revision.js';
import { tellNodes } from '../raise-revision.js';
import type { UserWhere } from '../user-where.js';
import { targeted } from './bulk-target.js';
import { type BulkView, bulkView, dryRunView } from './bulk-view.js';
import type { BulkDataLimit, BulkExpire, BulkProxySettings, UserBulk } from './user-bulk.dto.js';
import {
  type ColumnChange,
  changedProxySettings,
  changeUsers,
  countChanged,
  shiftedDataLimit,
  shiftedExpire,
} from './user-changes.js';

/** Changes many users alike. */
@Injectable()
export class UserBulkService {
  constructor(private readonly database: DataSource) {}

  expire(actor: Actor, request: BulkExpire): Promise<BulkView> {
    return this.run(actor, request, 'expire', (target) => shiftedExpire(target, request.amount));
  }

  dataLimit(actor: Actor, request: BulkDataLimit): Promise<BulkView> {
    return this.run(actor, request, 'data_limit', (target) => shiftedDataLimit(target, request.amount));
  }

  proxySettings(actor: Actor, request: BulkProxySettings): Promise<BulkView> {
    return this.run(actor, request, 'proxy_settings', (target) => changedProxySettings(target, request));
  }

  private async run(
    actor: Actor,
    { dry_run, ...request }: UserBulk,
    what: string,
    changeOf: (target: UserWhere) => ColumnChange,
  ): Promise<BulkView> {
    const change = changeOf(targeted(actor, { ...request, groups: request.group_ids }));
    if (dry_run) return dryRunView(await countChanged(this.database.manager, change));
    return this.database.transaction(async (manager) => {
      await lockRevision(manager);
      const { count, heard } = await changeUsers(manager, change);
      await tellNodes(manager, heard);
      await recordAudit(manager, {
        action: `user.bulk_${what}`,
        target: 'users',
        after: { affected_users: count, ...request },
      });
      return bulkView(count);
    });
  }
}
