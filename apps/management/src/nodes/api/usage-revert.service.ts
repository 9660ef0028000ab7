import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { recordAudit } from '../../audit/record-audit.js';
import { lockRevision } from '../../database/revision.js';
import { rolledBack } from '../../database/rolled-back.js';
import { invalidFields } from '../../errors/management-error.js';
import { type NodeHours, UsageRevertRepository } from '../../usage/usage-revert.repository.js';
import { lockForRevert, settleAfterRevert } from '../../user-store/life-cycle/settle-after-revert.js';
import { momentOf } from '../../validation/moment.js';
import { NodeRepository } from '../store/node.repository.js';
import { NodeTotalsRepository } from '../store/node-totals.repository.js';
import type { UsageRevert, UsageRevertView } from './usage-revert.dto.js';

/** Maximum number of users in one transaction, for which other changes wait. */
const MAX_BATCH_USERS = 2_000;
const MAX_NAMED_HOLDS = 100;
const HOUR_MS = 3_600_000;

/** What the batches have taken back so far. */
interface Progress {
  readonly users: Set<number>;
  readonly holds: string[];
  bytes: bigint;
  reactivated: number;
}

/**
 * Takes back what a node has reported in some hours. It deletes the history of those hours together with what it takes from the
 * counters, batch by batch, so that an interrupted call is finished by another one, and a repeated one takes nothing more.
 */
@Injectable()
export class UsageRevertService {
  constructor(
    private readonly database: DataSource,
    private readonly nodes: NodeRepository,
    private readonly totals: NodeTotalsRepository,
    private readonly usage: UsageRevertRepository,
  ) {}

  async revert(nodeId: number, request: UsageRevert): Promise<UsageRevertView> {
    const { manager } = this.database;
    const { name } = await this.nodes.findNode(manager, nodeId);
    const isDryRun = request.dry_run ?? false;
    const span = spanOf(request);
    const progress: Progress = { users: new Set(), holds: [], bytes: 0n, reactivated: 0 };
    const run = <T>(work: (manager: EntityManager) => Promise<T>): Promise<T> =>
      isDryRun ? rolledBack(this.database, work) : this.database.transaction(work);

    // In the open hour the node may report more, so all of its users are part of the last transaction.
    const open = isDryRun ? span.end : await this.usage.openHour(manager);
    const closed = { nodeId, start: span.start, end: earlier(open, span.end) };
    for (let lastId = 0; ; ) {
      const ids = await this.usage.findUsers(manager, closed, lastId, MAX_BATCH_USERS);
      const last = ids.at(-1);
      if (last === undefined) break;
      await run(async (transaction) => {
        await lockRevision(transaction);
        await this.takeBackFromUsers(transaction, closed, ids, progress);
      });
      lastId = last;
    }
    return run(async (transaction) => {
      await lockRevision(transaction);
      await this.nodes.lockNode(transaction, nodeId);
      const start = later(open, span.start);
      const rest = { nodeId, start, end: span.end };
      const ids = start < span.end ? await this.usage.findUsers(transaction, rest, 0, null) : [];
      await this.takeBackFromUsers(transaction, rest, ids, progress);
      const admins = await this.usage.takeBackFromAdmins(transaction, { nodeId, ...span });
      const node = await this.usage.deleteNodeHours(transaction, { nodeId, ...span });
      await this.totals.takeFromNode(transaction, nodeId, node);
      const view: UsageRevertView = {
        from: span.start.toISOString(),
        to: span.end.toISOString(),
        dry_run: isDryRun,
        affected_users: progress.users.size,
        affected_admins: admins.ids.length,
        user_bytes: Number(progress.bytes),
        admin_bytes: Number(admins.bytes),
        uplink: Number(node.uplink),
        downlink: Number(node.downlink),
        reactivated_users: progress.reactivated,
        possible_holds: progress.holds,
      };
      const after = { name, ...view };
      await recordAudit(transaction, { action: 'node.revert_usage', target: `node/${nodeId}`, after });
      return view;
    });
  }

  private async takeBackFromUsers(
    manager: EntityManager,
    hours: NodeHours,
    ids: readonly number[],
    progress: Progress,
  ): Promise<void> {
    await lockForRevert(manager, ids);
    const taken = await this.usage.takeBackFromUsers(manager, hours, ids);
    const names = MAX_NAMED_HOLDS - progress.holds.length;
    const settled = await settleAfterRevert(manager, taken.ids, hours.start, names);
    for (const id of taken.ids) progress.users.add(id);
    progress.holds.push(...settled.possibleHolds);
    progress.bytes += taken.bytes;
    progress.reactivated += settled.reactivated;
  }
}

/** @throws ManagementError when the hours end before they begin */
function spanOf({ from, to = null }: UsageRevert): { start: Date; end: Date } {
  const start = momentOf(from) ?? new Date(0);
  const end = momentOf(to) ?? new Date(Math.ceil((Date.now() + 1) / HOUR_MS) * HOUR_MS);
  if (end <= start) throw invalidFields({ to: 'Input should be after from' });
  return { start, end };
}

const earlier = (one: Date, other: Date): Date => new Date(Math.min(one.getTime(), other.getTime()));
const later = (one: Date, other: Date): Date => new Date(Math.max(one.getTime(), other.getTime()));
