import { Logger } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import type { AtRestCipher } from '../../keys/at-rest-cipher.js';
import { ApiKeyRepository, type SealedApiKey } from './api-key.repository.js';
import { sealingContext } from './node-connector.js';

/**
 * Seals the API keys that the previous at-rest key has sealed with the present one, so that the previous key can be
 * removed. Keys that do not open are kept as they are.
 */
export async function resealApiKeys(
  database: DataSource,
  apiKeys: ApiKeyRepository,
  cipher: AtRestCipher,
): Promise<void> {
  await database.transaction(async (manager) => {
    const rows = await apiKeys.lockSealedKeys(manager);
    const opened = rows.flatMap((row) => openKey(row, cipher));
    warnOfUnopened(rows.length - opened.length);
    const outdated = opened.filter(({ sealed }) => cipher.isOutdated(sealed));
    if (outdated.length === 0) return;
    const resealed = outdated.map(({ id, apiKey }) => ({ id, sealed: cipher.seal(apiKey, sealingContext(id)) }));
    await apiKeys.replaceSealedKeys(manager, resealed);
  });
}

/** The key in a list, or an empty list for a key that does not open. */
function openKey(row: SealedApiKey, cipher: AtRestCipher): (SealedApiKey & { apiKey: string })[] {
  try {
    return [{ ...row, apiKey: cipher.open(row.sealed, sealingContext(row.id)) }];
  } catch {
    return [];
  }
}

function warnOfUnopened(count: number): void {
  if (count === 0) return;
  new Logger('Keys').warn(
    `${count} API keys of nodes do not open: the at-rest key that sealed them is neither in the settings nor in keys.json`,
  );
}
