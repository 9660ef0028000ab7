import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { hash, verify } from '@node-rs/argon2';
import { verify as verifyBcrypt } from '@node-rs/bcrypt';
import { KeyedMutex } from '../../concurrency/keyed-mutex.js';

/**
 * argon2id with the library's defaults (19 MiB, two passes), which follow OWASP. One hash at a time: each takes a processor
 * for tens of milliseconds, and many logins at once would take all of them from everybody else.
 */
@Injectable()
export class PasswordHasher {
  private readonly nobody = hash(randomBytes(32));
  private readonly turns = new KeyedMutex<'hash'>();

  hash(password: string): Promise<string> {
    return this.turns.run('hash', () => hash(password));
  }

  /** Without a stored hash the same work is done, so that the time tells nobody which names exist. */
  verify(stored: string | undefined, password: string): Promise<boolean> {
    return this.turns.run('hash', () => this.verifyInTurn(stored, password));
  }

  /** Whether it comes from another system, and is to be made anew as soon as the password is known. */
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
