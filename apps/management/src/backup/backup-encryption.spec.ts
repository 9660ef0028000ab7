import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { generateIdentity, identityToRecipient } from 'age-encryption';
import { type DecryptWith, decryption, type EncryptTo, encryption } from './backup-encryption.js';
import { BackupError } from './backup-error.js';

async function* chunksOf(...chunks: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

const joined = (chunks: AsyncIterable<Uint8Array>) => buffer(Readable.from(chunks));
const encrypt = (to: EncryptTo, text: string) => joined(encryption(to)(chunksOf(Buffer.from(text))));
const decrypt = async (by: DecryptWith, file: Uint8Array) => String(await joined(decryption(by)(chunksOf(file))));

describe('the encryption of backups', () => {
  it('is undone by the passphrase, and by no other', async () => {
    const file = await encrypt({ passphrase: 'correct horse battery' }, 'text');
    expect(file.toString()).toMatch(/^age-encryption\.org\/v1\n-> scrypt /);
    expect(await decrypt({ passphrase: 'correct horse battery' }, file)).toBe('text');
    await expect(decrypt({ passphrase: 'correct horse' }, file)).rejects.toThrow(
      new BackupError('The backup was encrypted with another passphrase or to another recipient'),
    );
  });

  it('is undone by the identity of each recipient', async () => {
    const identities = [await generateIdentity(), await generateIdentity()];
    const recipients = await Promise.all(identities.map(identityToRecipient));
    const file = await encrypt({ recipients }, 'text');
    for (const identity of identities) expect(await decrypt({ identities: [identity] }, file)).toBe('text');
  });

  it('hands out the first chunks before it has seen the last ones', async () => {
    const recipients = [await identityToRecipient(await generateIdentity())];
    let given = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (; ; given += 1) yield Buffer.alloc(65_536);
    }
    let taken = 0;
    for await (const chunk of encryption({ recipients })(endless())) {
      taken += chunk.length;
      if (taken > 1_000_000) break;
    }
    // A reader that stops holds back the writer: no more than a few chunks are between them.
    expect(given * 65_536 - taken).toBeLessThan(10 * 65_536);
  });

  it('names what is no recipient, and no identity', () => {
    expect(() => encryption({ recipients: ['age1nothing'] })).toThrow(
      new BackupError('"age1nothing" is not a recipient of age, such as age-keygen prints'),
    );
    expect(() => decryption({ identities: ['secret'] })).toThrow(
      new BackupError('An identity of age begins with AGE-SECRET-KEY-1'),
    );
  });

  it('calls any other file damaged', async () => {
    await expect(decrypt({ passphrase: 'x' }, Buffer.from('hello'))).rejects.toThrow(
      'The backup is damaged or cut off, or is no file of age',
    );
  });
});
