import { Logger } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import type { AtRestCipher } from '../../keys/at-rest-cipher.js';
import { sealingContext } from './node-connector.js';

interface SealedKey {
  id: number;
  sealed: Buffer;
}

/**
 * Seals what the previous at-rest key has sealed with the present one, so that the previous can be taken away. What does
 * not open stays, and the others are none the worse for it.
 */
export async function resealApiKeys(database: DataSource, cipher: AtRestCipher): Promise<void> {
  await database.transaction(async (manager) => {
    const rows = await manager.query<SealedKey[]>(
      'SELECT id, api_key_encrypted AS sealed FROM nodes ORDER BY id FOR NO KEY UPDATE',
    );
    const opened = rows.flatMap((row) => open(row, cipher));
    warnOfClosed(rows.length - opened.length);
    const outdated = opened.filter(({ sealed }) => cipher.isOutdated(sealed));
    if (outdated.length === 0) return;
    await manager.query(
      `UPDATE nodes SET api_key_encrypted = anew.sealed
       FROM unnest($1::integer[], $2::bytea[]) AS anew (id, sealed) WHERE nodes.id = anew.id`,
      [outdated.map(({ id }) => id), outdated.map(({ id, apiKey }) => cipher.seal(apiKey, sealingContext(id)))],
    );
  });
}

function open(row: SealedKey, cipher: AtRestCipher): (SealedKey & { apiKey: string })[] {
  try {
    return [{ ...row, apiKey: cipher.open(row.sealed, sealingContext(row.id)) }];
  } catch {
    return [];
  }
}

function warnOfClosed(keys: number): void {
  if (keys === 0) return;
  new Logger('Keys').warn(
    `${keys} API keys of nodes do not open: the at-rest key that sealed them is neither in the settings nor in keys.json`,
  );
}
