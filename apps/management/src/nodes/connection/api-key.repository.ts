import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/** The sealed API key of a node. */
export interface SealedApiKey {
  /** The id of the node. */
  id: number;
  sealed: Buffer;
}

/** The statements on the sealed API keys of all nodes. */
@Injectable()
export class ApiKeyRepository {
  lockSealedKeys(manager: EntityManager): Promise<SealedApiKey[]> {
    return manager.query('SELECT id, api_key_encrypted AS sealed FROM nodes ORDER BY id FOR NO KEY UPDATE');
  }

  async replaceSealedKeys(manager: EntityManager, keys: readonly SealedApiKey[]): Promise<void> {
    await manager.query(
      `UPDATE nodes SET api_key_encrypted = anew.sealed
       FROM unnest($1::integer[], $2::bytea[]) AS anew (id, sealed) WHERE nodes.id = anew.id`,
      [keys.map(({ id }) => id), keys.map(({ sealed }) => sealed)],
    );
  }
}
