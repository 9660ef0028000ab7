import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { SealedSecret, SealedSecrets } from '../../keys/sealed-secret.js';
import { sealingContext } from './node-connector.js';

/** The statements on the sealed API keys of all nodes. */
@Injectable()
export class ApiKeyRepository implements SealedSecrets {
  readonly what = 'API keys of nodes';
  readonly contextOf = sealingContext;

  lockSealed(manager: EntityManager): Promise<SealedSecret[]> {
    return manager.query('SELECT id, api_key_encrypted AS sealed FROM nodes ORDER BY id FOR NO KEY UPDATE');
  }

  async replaceSealed(manager: EntityManager, keys: readonly SealedSecret[]): Promise<void> {
    await manager.query(
      `UPDATE nodes SET api_key_encrypted = anew.sealed
       FROM unnest($1::integer[], $2::bytea[]) AS anew (id, sealed) WHERE nodes.id = anew.id`,
      [keys.map(({ id }) => id), keys.map(({ sealed }) => sealed)],
    );
  }
}
