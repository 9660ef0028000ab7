import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { momentOf } from '../validation/moment.js';
import type { AuditFilter } from './audit.dto.js';
import { AuditEntry } from './audit-entry.entity.js';

/** Statements that read the audit log; `recordAudit` is the only one that writes it. */
@Injectable()
export class AuditRepository {
  constructor(private readonly database: DataSource) {}

  /** Entries that match the filter, newest first, at most `limit` of them. */
  findEntries(filter: AuditFilter, limit: number): Promise<AuditEntry[]> {
    const query = this.database.manager.createQueryBuilder(AuditEntry, 'entry').orderBy('entry.id', 'DESC');
    for (const [condition, parameters] of conditionsOf(filter)) query.andWhere(condition, parameters);
    return query.take(limit).getMany();
  }
}

function* conditionsOf(filter: AuditFilter): Generator<[string, Record<string, unknown>]> {
  const { actor, token, action, target, before } = filter;
  if (actor) yield ['entry.actor = :actor', { actor }];
  if (token) yield ['entry.token_id = :token', { token }];
  // One subject has few actions, so the planner uses the index for each of them.
  if (action?.includes('.')) yield ['entry.action = :action', { action }];
  else if (action) yield ['entry.action >= :from AND entry.action < :to', { from: `${action}.`, to: `${action}/` }];
  if (target) yield ['entry.target = :target', { target }];
  if (before) yield ['entry.id < :before', { before }];
  const [since, until] = [momentOf(filter.since ?? null), momentOf(filter.until ?? null)];
  if (since) yield ['entry.at >= :since', { since }];
  if (until) yield ['entry.at < :until', { until }];
}
