import type { EntityManager } from 'typeorm';
import type { Actor } from '../access/actor.js';
import type { AuditedChange } from '../audit/record-audit.js';
import type { UserCondition, UserWhere } from '../user-store/user-where.js';

/** Who asked for the work and what for, as they are stored: `terms` comes back from JSON. */
export interface BulkOrder<Terms extends object = object> {
  readonly actor: Actor;
  readonly terms: Terms;
}

export interface BulkBatch {
  /** How many users were changed. */
  readonly count: number;
  /** What the caller is answered of them, where that is more than their number. */
  readonly names?: readonly string[];
}

/** One kind of work on many users, which is done in batches of them. */
export interface BulkWork<Terms extends object = object> {
  readonly action: AuditedChange['action'];
  /** Whom it concerns. It is asked for each batch: nobody is looked at twice, whatever the work changes of them. */
  target(order: BulkOrder<Terms>): UserWhere;
  /** Does it for some, in a transaction that holds the revision. What it refuses at the first batch, the caller is told. */
  apply(manager: EntityManager, order: BulkOrder<Terms>, batch: UserCondition): Promise<BulkBatch>;
  /** What the audit log says when it is done. */
  audited(order: BulkOrder<Terms>, affectedUsers: number): Pick<AuditedChange, 'target' | 'after'>;
}
