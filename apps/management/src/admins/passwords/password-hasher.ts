import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { hash, verify } from '@node-rs/argon2';
import { hash as hashByBcrypt, verify as verifyBcrypt } from '@node-rs/bcrypt';
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

  /**
   * Without a stored hash the same work is done, so that the response time does not tell which names exist.
   *
   * @param bcryptCost the highest cost of the bcrypt hashes of all admins: while there are such, each verification costs one
   */
  verify(stored: string | undefined, password: string, bcryptCost?: number): Promise<boolean> {
    return this.turns.run('hash', () => this.verifyInTurn(stored, password, bcryptCost));
  }

  /** Tells whether a hash comes from another system and should be replaced when the password is known. */
  isOutdated(stored: string): boolean {
    return isBcrypt(stored);
  }

  private async verifyInTurn(stored: string | undefined, password: string, bcryptCost?: number): Promise<boolean> {
    const bcrypt = stored !== undefined && isBcrypt(stored) ? stored : undefined;
    const argon2 = bcrypt === undefined ? stored : undefined;
    const matches = await verify(argon2 ?? (await this.nobody), password);
    const matchesBcrypt = bcrypt !== undefined && (await verifyBcrypt(password, bcrypt));
    for (const cost of missingCosts(bcrypt, bcryptCost)) await hashByBcrypt(password, cost);
    return bcrypt === undefined ? matches && argon2 !== undefined : matchesBcrypt;
  }
}

/** A cost adds one to the exponent of the work, and these costs together make up for what a cheaper hash, or none, saves. */
export function missingCosts(bcrypt: string | undefined, wanted: number | undefined): number[] {
  if (wanted === undefined) return [];
  if (bcrypt === undefined) return [wanted];
  const own = Number(bcrypt.slice(4, 6));
  return Array.from({ length: Math.max(wanted - own, 0) }, (_, index) => own + index);
}

const isBcrypt = (stored: string): boolean => /^\$2[abxy]\$/.test(stored);
