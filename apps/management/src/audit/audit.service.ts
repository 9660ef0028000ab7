import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { momentOf } from '../validation/moment.js';
import { AuditFilter, type AuditListView } from './audit.dto.js';
import { AuditEntry } from './audit-entry.entity.js';
import type { Difference } from './difference.js';

const PAGE_SIZE = 100;

/** Reads the log; recordAudit writes it. */
@Injectable()
export class AuditService {
  constructor(private readonly database: DataSource) {}

  async list(filter: AuditFilter): Promise<AuditListView> {
    const limit = filter.limit ?? PAGE_SIZE;
    const query = this.database.manager.createQueryBuilder(AuditEntry, 'entry').orderBy('entry.id', 'DESC');
    for (const [condition, parameters] of conditions(filter)) query.andWhere(condition, parameters);
    const entries = await query.take(limit + 1).getMany();
    const page = entries.slice(0, limit);
    return {
      entries: page.map((entry) => ({
        id: Number(entry.id),
        at: entry.at.toISOString(),
        actor: entry.actor,
        actor_id: entry.actorId,
        address: entry.address,
        action: entry.action,
        target: entry.target,
        difference: storedDifference(entry.difference),
      })),
      next: entries.length > limit ? Number(page.at(-1)?.id) : null,
    };
  }
}

/** Whatever is damaged is not told of: a list is not to break over one entry. */
function storedDifference(stored: unknown): Difference {
  if (typeof stored !== 'object' || stored === null || Array.isArray(stored)) return {};
  return Object.fromEntries(
    Object.entries(stored).filter(
      ([, change]) => typeof change === 'object' && change !== null && !Array.isArray(change),
    ),
  );
}

function* conditions(filter: AuditFilter): Generator<[string, Record<string, unknown>]> {
  const { actor, action, target, before } = filter;
  if (actor) yield ['entry.actor = :actor', { actor }];
  // One subject has few actions: the planner takes the index for each.
  if (action?.includes('.')) yield ['entry.action = :action', { action }];
  else if (action) yield ['entry.action >= :from AND entry.action < :to', { from: `${action}.`, to: `${action}/` }];
  if (target) yield ['entry.target = :target', { target }];
  if (before) yield ['entry.id < :before', { before }];
  const [since, until] = [momentOf(filter.since ?? null), momentOf(filter.until ?? null)];
  if (since) yield ['entry.at >= :since', { since }];
  if (until) yield ['entry.at < :until', { until }];
}
