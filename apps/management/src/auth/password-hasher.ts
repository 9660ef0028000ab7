import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { hash, verify } from '@node-rs/argon2';

/** argon2id with the library's defaults (19 MiB, two passes), which follow OWASP. */
@Injectable()
export class PasswordHasher {
  private readonly nobody = hash(randomBytes(32));

  hash(password: string): Promise<string> {
    return hash(password);
  }

  /** Without a stored hash the same work is done, so that the time tells nobody which names exist. */
  async verify(stored: string | undefined, password: string): Promise<boolean> {
    const matches = await verify(stored ?? (await this.nobody), password);
    return matches && stored !== undefined;
  }
}
