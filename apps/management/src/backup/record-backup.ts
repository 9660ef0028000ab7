import { userInfo } from 'node:os';
import type { EntityManager } from 'typeorm';
import { LOCAL_ACTOR } from '../access/local-connection.js';
import { recordAudit } from '../audit/record-audit.js';
import type { EncryptTo } from './backup-encryption.js';
import { type BackupHeader, rowsOf } from './backup-header.js';
import { fingerprintOf } from './backup-signature.js';

/** Backups are made and restored by commands on the machine itself. */
const BY_COMMAND = { actor: LOCAL_ACTOR, address: LOCAL_ACTOR.username };

export async function recordBackup(
  manager: EntityManager,
  header: BackupHeader,
  { file, bytes, encryptTo }: { file: string; bytes: number; encryptTo: EncryptTo },
): Promise<void> {
  const after = {
    file,
    bytes,
    rows: rowsOf(header),
    // Recipients are public keys.
    encrypted_to: 'recipients' in encryptTo ? encryptTo.recipients : ['a passphrase'],
    signed_by: signedBy(header),
    account: accountName(),
  };
  await recordAudit(manager, { action: 'backup.create', target: 'backup', after, by: BY_COMMAND });
}

export async function recordRestoration(manager: EntityManager, header: BackupHeader): Promise<void> {
  const after = {
    created_at: header.createdAt,
    program: header.program,
    signed_by: signedBy(header),
    account: accountName(),
  };
  await recordAudit(manager, { action: 'backup.restore', target: 'backup', after, by: BY_COMMAND });
}

const signedBy = ({ signer }: BackupHeader): string | null => (signer === undefined ? null : fingerprintOf(signer));

/** The account of the command on this machine; its number where it has no name, as in a container. */
function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? '');
  }
}
