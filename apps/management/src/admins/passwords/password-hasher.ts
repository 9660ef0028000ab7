import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { hash, verify } from '@node-rs/argon2';
import { verify as verifyBcrypt } from '@node-rs/bcrypt';
import { KeyedMutex } from '../../concurrency/keyed-mutex.js';

/**
 * argon2id with the library's defaults (19 MiB, two passes), which follow OWASP. Hashes run one at a time: each
 * takes a processor for tens of milliseconds, and many parallel logins would occupy all of them.
 */
@Injectable()
export class PasswordHasher {
  private readonly nobody = hash(randomBytes(32));
  private readonly turns = new KeyedMutex<'hash'>();

  hash(password: string): Promise<string> {
    return this.turns.run('hash', () => hash(password));
  }

  /** Without a stored hash the same work is done, so that the response time does not tell which names exist. */
  verify(stored: string | undefined, password: string): Promise<boolean> {
    return this.turns.run('hash', () => this.verifyInTurn(stored, password));
  }

  /** Tells whether a hash comes from another system and should be replaced when the password is known. */
  isOutdated(stored: string): boolean {
    return isBcrypt(stored);
  }

  private async verifyInTurn(stored: string | undefined, password: string): Promise<boolean> {
    if (stored !== undefined && isBcrypt(stored)) return verifyBcrypt(password, stored);
    const matches = await verify(stored ?? (await this.nobody), password);
    return matches && stored !== undefined;
  }
}

const isBcrypt = (stored: string): boolean => /^\$2[abxy]\$/.test(stored);
