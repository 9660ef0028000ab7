import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ManagementEnv } from '../env/management-env.js';
import { ManagementError } from '../errors/management-error.js';
import { publicUrl } from '../http/public-url.js';
import { AtRestCipher } from '../keys/at-rest-cipher.js';

/** What probes fetch: it does not compress, so its throughput is that of the way. */
export const TARGET_BYTES = 1024 * 1024;

const VALID_MS = 600_000;
const CONTEXT = 'probe-target';

/** The page of this management that probes fetch. Only a probe knows its URL, for ten minutes: nobody else downloads it. */
@Injectable()
export class ProbeTarget {
  private readonly page = randomBytes(TARGET_BYTES);

  constructor(
    private readonly env: ManagementEnv,
    private readonly cipher: AtRestCipher,
  ) {}

  /** A new URL, which every replica answers. */
  url(now: Date): string {
    const token = this.cipher.seal(String(now.getTime() + VALID_MS), CONTEXT).toString('base64url');
    return `${publicUrl(this.env)}/sub/probe/${token}/bytes`;
  }

  /** @throws ManagementError NOT_FOUND, as for an unknown route */
  read(token: string, now: Date): Buffer {
    if (this.endOf(token) < now.getTime()) throw new ManagementError('NOT_FOUND');
    return this.page;
  }

  private endOf(token: string): number {
    try {
      return Number(this.cipher.open(Buffer.from(token, 'base64url'), CONTEXT));
    } catch {
      return 0;
    }
  }
}
