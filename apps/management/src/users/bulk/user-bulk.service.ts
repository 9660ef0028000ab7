import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Actor } from '../../access/actor.js';
import { type BulkView, bulkView, dryRunView } from '../../bulk/bulk.view.js';
import { BulkOperations } from '../../bulk/bulk-operations.service.js';
import type { BulkWork } from '../../bulk/bulk-work.js';
import {
  type ColumnChange,
  changedProxySettings,
  changeUsers,
  countChanged,
  shiftedDataLimit,
  shiftedExpire,
} from '../../user-store/bulk-changes.js';
import type { UserCondition, UserWhere } from '../../user-store/selection/user-where.js';
import { markChanged } from '../../user-store/served/raise-revision.js';
import { targeted } from './bulk-target.js';
import type { BulkDataLimit, BulkExpire, BulkProxySettings, UserBulk } from './user-bulk.dto.js';

/** A bulk request of any kind: its target and what it changes. */
type Request = UserBulk & Partial<Pick<BulkExpire, 'amount'>> & Pick<BulkProxySettings, 'flow' | 'method'>;

const changeWork = (
  what: 'expire' | 'data_limit' | 'proxy_settings',
  changeOf: (batch: UserCondition, request: Request) => ColumnChange,
): BulkWork<Request> & { changeOf: typeof changeOf } => ({
  action: `user.bulk_${what}`,
  target: ({ actor, terms }) => targetOf(actor, terms),
  changeOf,
  async apply(manager, { terms }, batch) {
    const { count, userIdsForNodes } = await changeUsers(manager, changeOf(batch, terms));
    await markChanged(manager, userIdsForNodes);
    return { count };
  },
  audited: ({ terms }, affected_users) => ({ target: 'users', after: { affected_users, ...terms } }),
});

const EXPIRE = changeWork('expire', (batch, { amount = 0 }) => shiftedExpire(batch, amount));
const DATA_LIMIT = changeWork('data_limit', (batch, { amount = 0 }) => shiftedDataLimit(batch, amount));
const PROXY_SETTINGS = changeWork('proxy_settings', changedProxySettings);

/** Changes many users alike. */
@Injectable()
export class UserBulkService {
  constructor(
    private readonly database: DataSource,
    private readonly operations: BulkOperations,
  ) {
    for (const work of [EXPIRE, DATA_LIMIT, PROXY_SETTINGS]) operations.register(work);
  }

  expire(actor: Actor, request: BulkExpire): Promise<BulkView> {
    return this.run(actor, request, EXPIRE);
  }

  dataLimit(actor: Actor, request: BulkDataLimit): Promise<BulkView> {
    return this.run(actor, request, DATA_LIMIT);
  }

  proxySettings(actor: Actor, request: BulkProxySettings): Promise<BulkView> {
    return this.run(actor, request, PROXY_SETTINGS);
  }

  private async run(actor: Actor, { dry_run, ...request }: Request, work: typeof EXPIRE): Promise<BulkView> {
    if (!dry_run) return bulkView((await this.operations.run(work, actor, request)).count);
    return dryRunView(await countChanged(this.database.manager, work.changeOf(targetOf(actor, request), request)));
  }
}

const targetOf = (actor: Actor, request: UserBulk): UserWhere =>
  targeted(actor, { ...request, groups: request.group_ids });
