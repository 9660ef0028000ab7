import { Injectable } from '@nestjs/common';
import { AuditFilter, type AuditListView } from './audit.dto.js';
import { AuditRepository } from './audit.repository.js';
import type { Difference } from './difference.js';

const PAGE_SIZE = 100;

/** Shows the audit log, which `recordAudit` writes. */
@Injectable()
export class AuditService {
  constructor(private readonly log: AuditRepository) {}

  async list(filter: AuditFilter): Promise<AuditListView> {
    const limit = filter.limit ?? PAGE_SIZE;
    const entries = await this.log.findEntries(filter, limit + 1);
    const page = entries.slice(0, limit);
    return {
      entries: page.map((entry) => ({
        id: Number(entry.id),
        at: entry.at.toISOString(),
        actor: entry.actor,
        actor_id: entry.actorId,
        token: entry.tokenId === null ? null : { id: entry.tokenId, name: entry.tokenName ?? '' },
        session_id: entry.sessionId,
        address: entry.address,
        action: entry.action,
        target: entry.target,
        difference: storedDifference(entry.difference),
      })),
      next: entries.length > limit ? Number(page.at(-1)?.id) : null,
    };
  }
}

/** Omits damaged parts of a stored difference, so that one bad entry never breaks a list. */
function storedDifference(stored: unknown): Difference {
  if (typeof stored !== 'object' || stored === null || Array.isArray(stored)) return {};
  return Object.fromEntries(
    Object.entries(stored).filter(
      ([, change]) => typeof change === 'object' && change !== null && !Array.isArray(change),
    ),
  );
}
