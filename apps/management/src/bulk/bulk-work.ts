import type { EntityManager } from 'typeorm';
import type { Actor } from '../access/actor.js';
import type { AuditedChange } from '../audit/record-audit.js';
import type { UserCondition, UserWhere } from '../user-store/selection/user-where.js';

/** Who asked for the work, and the terms of the request as they are read back from JSON. */
export interface BulkRequest<Terms extends object = object> {
  readonly actor: Actor;
  readonly terms: Terms;
}

export interface BulkBatch {
  /** How many users were changed. */
  readonly count: number;
  /** Names that the answer lists, for work whose answer holds more than a count. */
  readonly names?: readonly string[];
}

/** One kind of work on many users, done in batches. */
export interface BulkWork<Terms extends object = object> {
  readonly action: AuditedChange['action'];
  /** The users whom the work covers. It is evaluated for each batch, restricted to ids that no batch has covered yet. */
  target(request: BulkRequest<Terms>): UserWhere;
  /**
   * Does the work for one batch, in a transaction that holds the revision. An error of the first batch reaches the caller.
   */
  apply(manager: EntityManager, request: BulkRequest<Terms>, batch: UserCondition): Promise<BulkBatch>;
  /** Completes the work in the transaction of the last batch. */
  finish?(manager: EntityManager, request: BulkRequest<Terms>): Promise<void>;
  /** The entry of the audit log when all batches are done; absent: another entry tells of the work. */
  audited?(request: BulkRequest<Terms>, affectedUsers: number): Pick<AuditedChange, 'target' | 'before' | 'after'>;
}
