import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { SealedSecret, SealedSecrets } from '../../keys/sealed-secret.js';
import { NodeAuthority } from '../store/node-authority.entity.js';

/** Replicas that need the first authority at the same moment make one. */
const AUTHORITY_LOCK = 0x61_75_74_68; // "auth"

/** The statements on the authorities of this management. */
@Injectable()
export class AuthorityRepository implements SealedSecrets {
  readonly what = 'keys of node authorities';

  contextOf(authorityId: number): string {
    return `node-authority:${authorityId}`;
  }

  findNewestAuthority(manager: EntityManager): Promise<NodeAuthority | null> {
    return manager.findOne(NodeAuthority, { where: {}, order: { id: 'DESC' } });
  }

  findAuthority(manager: EntityManager, id: number): Promise<NodeAuthority> {
    return manager.findOneByOrFail(NodeAuthority, { id });
  }

  /** Until the transaction ends, nobody else makes an authority. */
  async lock(manager: EntityManager): Promise<void> {
    await manager.query('SELECT pg_advisory_xact_lock($1)', [AUTHORITY_LOCK]);
  }

  /** The id must be known before the row exists, because the sealed key is bound to it. */
  async nextAuthorityId(manager: EntityManager): Promise<number> {
    const [row] = await manager.query<{ id: number }[]>(
      `SELECT nextval(pg_get_serial_sequence('node_authorities', 'id'))::integer AS id`,
    );
    if (!row) throw new Error('the sequence of node_authorities.id is missing');
    return row.id;
  }

  async insertAuthority(manager: EntityManager, authority: Omit<NodeAuthority, 'createdAt'>): Promise<void> {
    await manager.insert(NodeAuthority, authority);
  }

  lockSealed(manager: EntityManager): Promise<SealedSecret[]> {
    return manager.query('SELECT id, key_encrypted AS sealed FROM node_authorities ORDER BY id FOR NO KEY UPDATE');
  }

  async replaceSealed(manager: EntityManager, keys: readonly SealedSecret[]): Promise<void> {
    for (const { id, sealed } of keys) await manager.update(NodeAuthority, { id }, { keyEncrypted: sealed });
  }
}
