import { readFile, stat } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { type Command, type CommandAnswer, messageOf, OperatorError, printing, textList } from '@rampart/program';
import type { AcceptedSigners } from '../backup/accept-signer.js';
import type { DecryptWith, EncryptTo } from '../backup/backup-encryption.js';
import { ProgressLine } from './progress-line.js';
import { readPassword } from './read-password.js';

/** Shorter ones can be guessed by whoever has the file. */
const MIN_PASSPHRASE_LENGTH = 12;

interface BackupCommandOptions {
  recipient: readonly string[];
  passphraseFile?: string;
}

interface RestoreCommandOptions {
  identity: readonly string[];
  passphraseFile?: string;
  acceptFingerprint?: string;
  acceptUnsigned?: boolean;
}

const collect = (value: string, before: readonly string[]): string[] => [...before, value];

export function addBackupCommands(root: Command): void {
  root
    .command('backup <file>')
    .description(
      'write all data and keys, as they are at one moment, into a new file that is encrypted with age; - writes to standard ' +
        'output. The service may run. Without options it asks for a passphrase',
    )
    .summary('write all data and keys into an encrypted file, beside the running service')
    .option('-r, --recipient <recipient>', 'encrypt to this recipient of age (age1…); can be repeated', collect, [])
    .option('--passphrase-file <path>', 'read the passphrase from the first line of this file')
    .action(printing(backUp));
  root
    .command('restore <file>')
    .description(
      'restore a backup into an empty installation of the same or a newer version; - reads standard input. The service must ' +
        'not run. The whole file is checked before anything changes: a backup that was signed elsewhere needs the fingerprint ' +
        'that rampart backup has shown. Without options it asks for the passphrase, and shows the fingerprint to compare',
    )
    .summary('restore a backup into an empty installation, while the service does not run')
    .option('-i, --identity <path>', 'a file with identities of age (AGE-SECRET-KEY-1…); can be repeated', collect, [])
    .option('--passphrase-file <path>', 'read the passphrase from the first line of this file')
    .option(
      '--accept-fingerprint <fingerprint>',
      'accept a backup that the installation with this fingerprint has signed',
    )
    .option('--accept-unsigned', 'accept a backup without a signature')
    .action(printing(restore));
}

async function backUp(file: string, options: BackupCommandOptions): Promise<CommandAnswer> {
  const encryptTo = await encryptionOf(options);
  // The database's libraries take a second to load, which other commands do not need.
  const { readManagementEnv } = await import('../env/management-env.js');
  const { createBackup } = await import('../backup/create-backup.js');
  const progress = new ProgressLine(process.stderr);
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort(new OperatorError('Interrupted: no backup was made'));
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  const { header, fingerprint } = await createBackup({
    env: readManagementEnv(),
    file,
    encryptTo,
    onProgress: (rows, allRows) => progress.show('rows written', rows, allRows),
    log: (line) => console.error(line),
    signal: interrupted.signal,
  }).finally(() => {
    progress.end();
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  });
  const { createdAt, program, tables } = header;
  const count = (name: string) => tables.find((table) => table.name === name)?.rows ?? 0;
  const [users, rows] = [count('users'), tables.reduce((sum, table) => sum + table.rows, 0)];
  if (file === '-') {
    console.error(`Signed by ${fingerprint}`);
    return { text: '', json: undefined };
  }
  const { size } = await stat(file);
  return {
    text:
      `Backed up ${users} users, ${rows} rows of ${tables.length} tables, into ${file} (${Math.ceil(size / 1024)} KB)\n` +
      `Signed by ${fingerprint}: keep this fingerprint, a restore on another machine asks for it`,
    json: {
      file,
      created_at: createdAt,
      version: program,
      users,
      tables: tables.length,
      rows,
      bytes: size,
      fingerprint,
    },
  };
}

async function restore(file: string, options: RestoreCommandOptions): Promise<CommandAnswer> {
  const decryptWith = await decryptionOf(file, options);
  const { readManagementEnv } = await import('../env/management-env.js');
  const { restoreBackup } = await import('../backup/restore-backup.js');
  const { fingerprintOf } = await import('../backup/backup-signature.js');
  const progress = new ProgressLine(process.stderr);
  const { createdAt, program, signer, tables } = await restoreBackup({
    env: readManagementEnv(),
    file,
    decryptWith,
    accept: acceptedBy(file, options, () => progress.end()),
    onProgress: (step, bytes, allBytes) => progress.show(`bytes ${step}`, bytes, allBytes),
    tell: (line) => {
      progress.end();
      console.error(line);
    },
  }).finally(() => progress.end());
  const users = tables.find(({ name }) => name === 'users')?.rows ?? 0;
  const fingerprint = signer === undefined ? null : fingerprintOf(signer);
  const values = { created_at: createdAt, version: program, users, fingerprint };
  const facts = textList([
    ['made', createdAt],
    ['by version', program],
    ['signed by', fingerprint ?? 'nobody'],
    ['users', String(users)],
  ]);
  return {
    text: `Restored the backup:\n${facts}\nStart the service now: it brings the nodes to this state`,
    json: values,
  };
}

/** On a terminal the operator compares the fingerprint; what comes by standard input needs the option. */
function acceptedBy(
  file: string,
  { acceptFingerprint, acceptUnsigned = false }: RestoreCommandOptions,
  beforeAsking: () => void,
): AcceptedSigners {
  const canAsk = process.stdin.isTTY && file !== '-';
  return {
    unsigned: acceptUnsigned,
    ...(acceptFingerprint !== undefined && { fingerprint: acceptFingerprint }),
    ...(canAsk && {
      confirm: async (fingerprint) => {
        beforeAsking();
        console.error(`The backup was signed by an installation whose keys are not here: ${fingerprint}`);
        return (await askFor('Is that what rampart backup has shown? Type yes to restore it: ')) === 'yes';
      },
    }),
  };
}

async function askFor(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await lines.question(question)).trim();
  } finally {
    lines.close();
  }
}

async function encryptionOf({ recipient, passphraseFile }: BackupCommandOptions): Promise<EncryptTo> {
  if (recipient.length > 0 && passphraseFile !== undefined)
    throw new OperatorError('A backup is encrypted to recipients or with a passphrase, not with both');
  if (recipient.length > 0) return { recipients: recipient };
  const passphrase = await (passphraseFile === undefined ? askForNew() : firstLine(passphraseFile));
  if (passphrase.length < MIN_PASSPHRASE_LENGTH)
    throw new OperatorError(`The passphrase must have at least ${MIN_PASSPHRASE_LENGTH} characters`);
  return { passphrase };
}

async function askForNew(): Promise<string> {
  const passphrase = await readPassword(process.stdin, 'Passphrase of the backup: ');
  if (process.stdin.isTTY && (await readPassword(process.stdin, 'The same again: ')) !== passphrase)
    throw new OperatorError('The two passphrases differ');
  return passphrase;
}

async function decryptionOf(file: string, { identity, passphraseFile }: RestoreCommandOptions): Promise<DecryptWith> {
  if (identity.length > 0 && passphraseFile !== undefined)
    throw new OperatorError('Give identities or a passphrase, not both');
  if (identity.length > 0) return { identities: (await Promise.all(identity.map(identitiesIn))).flat() };
  if (passphraseFile !== undefined) return { passphrase: await firstLine(passphraseFile) };
  if (file === '-')
    throw new OperatorError('The backup comes from standard input: name its key in --passphrase-file or --identity');
  return { passphrase: await readPassword(process.stdin, 'Passphrase of the backup: ') };
}

/** The identities of a file as age-keygen writes it, with comments that begin with #. */
async function identitiesIn(file: string): Promise<string[]> {
  const lines = (await read(file)).split(/\r?\n/).map((line) => line.trim());
  const identities = lines.filter((line) => line !== '' && !line.startsWith('#'));
  if (identities.length === 0) throw new OperatorError(`${file} has no identity of age`);
  return identities;
}

const firstLine = async (file: string): Promise<string> => (await read(file)).split(/\r?\n/, 1)[0] ?? '';

async function read(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new OperatorError(`${file} cannot be read: ${messageOf(error)}`, { cause: error });
  }
}
