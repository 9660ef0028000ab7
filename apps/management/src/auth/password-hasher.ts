import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { hash, verify } from '@node-rs/argon2';
import { verify as verifyBcrypt } from '@node-rs/bcrypt';

/** argon2id with the library's defaults (19 MiB, two passes), which follow OWASP. */
@Injectable()
export class PasswordHasher {
  private readonly nobody = hash(randomBytes(32));

  hash(password: string): Promise<string> {
    return hash(password);
  }

  /** Without a stored hash the same work is done, so that the time tells nobody which names exist. */
  async verify(stored: string | undefined, password: string): Promise<boolean> {
    if (stored !== undefined && isBcrypt(stored)) return verifyBcrypt(password, stored);
    const matches = await verify(stored ?? (await this.nobody), password);
    return matches && stored !== undefined;
  }

  /** Whether it comes from another system, and is to be made anew as soon as the password is known. */
  isOutdated(stored: string): boolean {
    return isBcrypt(stored);
  }
}

const isBcrypt = (stored: string): boolean => /^\$2[abxy]\$/.test(stored);
