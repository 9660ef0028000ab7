import { ReadableStream } from 'node:stream/web';
import { Decrypter, Encrypter } from 'age-encryption';
import { BackupError } from './backup-error.js';

/** Who can read a backup: whoever knows the passphrase, or has the identity of one of the recipients (`age1…`). */
export type EncryptTo = { readonly passphrase: string } | { readonly recipients: readonly string[] };

/** What decrypts a backup: its passphrase, or identities (`AGE-SECRET-KEY-1…`). */
export type DecryptWith = { readonly passphrase: string } | { readonly identities: readonly string[] };

type Chunks = AsyncIterable<Uint8Array>;

/** A transformation of streams to `age` files. @throws BackupError for a recipient that is none */
export function encryption(to: EncryptTo): (chunks: Chunks) => Chunks {
  const encrypter = new Encrypter();
  if ('passphrase' in to) encrypter.setPassphrase(to.passphrase);
  else
    for (const recipient of to.recipients)
      orRefuse(`"${recipient}" is not a recipient of age, such as age-keygen prints`, () =>
        encrypter.addRecipient(recipient),
      );
  return async function* encrypt(chunks) {
    yield* await encrypter.encrypt(ReadableStream.from(chunks));
  };
}

/**
 * A transformation of streams from `age` files. Every chunk that it yields is authentic, but only its end shows that
 * nothing is missing.
 *
 * @throws BackupError for an identity that is none
 */
export function decryption(by: DecryptWith): (chunks: Chunks) => Chunks {
  const decrypter = new Decrypter();
  if ('passphrase' in by) decrypter.addPassphrase(by.passphrase);
  else
    for (const identity of by.identities)
      orRefuse('An identity of age begins with AGE-SECRET-KEY-1', () => decrypter.addIdentity(identity));
  return async function* decrypt(chunks) {
    try {
      yield* await decrypter.decrypt(ReadableStream.from(chunks));
    } catch (error) {
      throw String(error).includes('no identity matched')
        ? new BackupError('The backup was encrypted with another passphrase or to another recipient')
        : new BackupError('The backup is damaged or cut off, or is no file of age', { cause: error });
    }
  };
}

function orRefuse(message: string, add: () => void): void {
  try {
    add();
  } catch {
    throw new BackupError(message);
  }
}
