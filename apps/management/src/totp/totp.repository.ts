import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { SealedSecret, SealedSecrets } from '../keys/sealed-secret.js';
import { Totp } from './totp.entity.js';

/** The statements on the table of second factors. */
@Injectable()
export class TotpRepository implements SealedSecrets {
  readonly what = 'secrets of second factors';

  /** The context with which a secret is sealed, which binds it to its admin. */
  contextOf(adminId: number): string {
    return `totp:${adminId}`;
  }

  find(manager: EntityManager, adminId: number): Promise<Totp | null> {
    return manager.findOneBy(Totp, { adminId });
  }

  /** Locks the second factor until the transaction ends, so that no other secret takes its place meanwhile. */
  lock(manager: EntityManager, adminId: number): Promise<Totp | null> {
    return manager.findOne(Totp, { where: { adminId }, lock: { mode: 'pessimistic_write' } });
  }

  /** Stores a secret that is not confirmed yet, in place of an earlier one of the same kind. Returns whether it did. */
  async savePending(manager: EntityManager, adminId: number, secretEncrypted: Buffer): Promise<boolean> {
    const rows = await manager.query<unknown[]>(
      `INSERT INTO admin_totps (admin_id, secret_encrypted) VALUES ($1, $2)
       ON CONFLICT (admin_id) DO UPDATE SET secret_encrypted = excluded.secret_encrypted, last_step = 0
       WHERE admin_totps.confirmed_at IS NULL RETURNING admin_id`,
      [adminId, secretEncrypted],
    );
    return rows.length > 0;
  }

  async confirm(manager: EntityManager, adminId: number, recoveryHashes: readonly string[]): Promise<void> {
    await manager.update(Totp, { adminId }, { confirmedAt: () => 'now()', recoveryHashes: [...recoveryHashes] });
  }

  /** Uses up a time step. Of several logins with one code exactly one gets true. */
  async useStep(manager: EntityManager, adminId: number, step: number): Promise<boolean> {
    const [, used] = await manager.query<[unknown[], number]>(
      'UPDATE admin_totps SET last_step = $2 WHERE admin_id = $1 AND last_step < $2',
      [adminId, step],
    );
    return used === 1;
  }

  /** Uses up a recovery code. Of several logins with one code exactly one gets true. */
  async useRecoveryCode(manager: EntityManager, adminId: number, hash: string): Promise<boolean> {
    const [, used] = await manager.query<[unknown[], number]>(
      `UPDATE admin_totps SET recovery_hashes = array_remove(recovery_hashes, $2::text)
       WHERE admin_id = $1 AND $2::text = ANY (recovery_hashes)`,
      [adminId, hash],
    );
    return used === 1;
  }

  /** Returns whether there was one. */
  async delete(manager: EntityManager, adminId: number): Promise<boolean> {
    const { affected } = await manager.delete(Totp, { adminId });
    return affected === 1;
  }

  lockSealed(manager: EntityManager): Promise<SealedSecret[]> {
    return manager.query(
      'SELECT admin_id AS id, secret_encrypted AS sealed FROM admin_totps ORDER BY admin_id FOR NO KEY UPDATE',
    );
  }

  async replaceSealed(manager: EntityManager, secrets: readonly SealedSecret[]): Promise<void> {
    for (const { id, sealed } of secrets) await manager.update(Totp, { adminId: id }, { secretEncrypted: sealed });
  }
}
