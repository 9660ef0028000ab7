import type { ManagementEnv } from '../env/management-env.js';
import { readKeyFile } from '../keys/keys.js';
import { keySettings } from '../known-keys/load-shared-keys.js';
import { BackupError } from './backup-error.js';
import type { BackupHeader } from './backup-header.js';
import { fingerprintOf, isFingerprint, signerOf, signingKey } from './backup-signature.js';

/** Which backups the operator accepts besides those that this installation has signed. */
export interface AcceptedSigners {
  /** The fingerprint that `rampart backup` has shown. */
  readonly fingerprint?: string;
  /** Whether a backup without a signature is accepted too. */
  readonly unsigned?: boolean;
  /** Asks the operator to compare a fingerprint; absent where nobody can answer. */
  readonly confirm?: (fingerprint: string) => Promise<boolean>;
}

/** @throws BackupError unless the backup is signed by an installation that is accepted */
export async function acceptSigner(
  { signer }: Pick<BackupHeader, 'signer'>,
  env: ManagementEnv,
  { fingerprint: given, unsigned = false, confirm }: AcceptedSigners,
): Promise<void> {
  if (signer === undefined) {
    if (unsigned) return;
    throw new BackupError(
      'The backup is not signed, so nothing shows which installation made it: restore it with --accept-unsigned if you know that it is yours',
    );
  }
  const fingerprint = fingerprintOf(signer);
  if (given !== undefined) {
    if (isFingerprint(given, fingerprint)) return;
    throw new BackupError(`The backup was signed by another installation: ${fingerprint}, not ${given}`);
  }
  if ((await ownSigners(env)).includes(signer)) return;
  if (confirm) {
    if (await confirm(fingerprint)) return;
    throw new BackupError('The fingerprint was not confirmed: nothing was changed');
  }
  throw new BackupError(
    `The backup was signed by an installation whose keys are not here: ${fingerprint}. Compare that with what rampart backup has ` +
      `shown when it was made, or with the log of changes, and restore it with --accept-fingerprint ${fingerprint}`,
  );
}

/** The signers whose key this machine has. A damaged key file, which the restore replaces, shows none. */
async function ownSigners(env: ManagementEnv): Promise<string[]> {
  const { given, previous } = keySettings(env);
  const own = given.atRest ?? (await readKeyFile(env.dataDir).catch(() => undefined))?.atRest;
  return [own, previous.atRest].flatMap((key) => (key ? [signerOf(signingKey(key))] : []));
}
