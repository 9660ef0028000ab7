import { Logger } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import type { AtRestCipher } from './at-rest-cipher.js';
import type { SealedSecret, SealedSecrets } from './sealed-secret.js';

/**
 * Seals the secrets that the previous at-rest key has sealed with the present one, so that the previous key can be
 * removed. Secrets that do not open are kept as they are.
 */
export async function resealSecrets(database: DataSource, secrets: SealedSecrets, cipher: AtRestCipher): Promise<void> {
  await database.transaction(async (manager) => {
    const rows = await secrets.lockSealed(manager);
    const opened = rows.flatMap((row) => openSecret(row, secrets, cipher));
    warnOfUnopened(rows.length - opened.length, secrets.what);
    const outdated = opened.filter(({ sealed }) => cipher.isOutdated(sealed));
    if (outdated.length === 0) return;
    const resealed = outdated.map(({ id, text }) => ({ id, sealed: cipher.seal(text, secrets.contextOf(id)) }));
    await secrets.replaceSealed(manager, resealed);
  });
}

/** The secret in a list, or an empty list for a secret that does not open. */
function openSecret(
  row: SealedSecret,
  secrets: SealedSecrets,
  cipher: AtRestCipher,
): (SealedSecret & { text: string })[] {
  try {
    return [{ ...row, text: cipher.open(row.sealed, secrets.contextOf(row.id)) }];
  } catch {
    return [];
  }
}

function warnOfUnopened(count: number, what: string): void {
  if (count === 0) return;
  new Logger('Keys').warn(
    `${count} ${what} do not open: the at-rest key that sealed them is neither in the settings nor in keys.json`,
  );
}
