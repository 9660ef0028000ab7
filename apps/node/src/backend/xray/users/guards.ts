import { randomBytes } from 'node:crypto';
import type { ManagedInbound } from '../config/inbounds.js';
import { GUARD_PREFIX } from '../reserved.js';
import type { Account } from './account.js';

export type Inbound2022 = Extract<ManagedInbound, { protocol: 'shadowsocks-2022' }>;

export interface Guard {
  readonly email: string;
  readonly account: Account;
}

/**
 * Users of shadowsocks-2022 inbounds whom nobody knows. One stands there from the start: without any user the engine
 * lets in whoever knows the inbound's own key, and takes no users later. One is added before each removal: while the
 * engine removes a user, a connection of the last one in its list would end it, and a guard never connects.
 */
export class Guards {
  private count = 0;
  private readonly run = randomBytes(8).toString('hex');

  next({ method }: Inbound2022): Guard {
    this.count += 1;
    const key = randomBytes(method === '2022-blake3-aes-128-gcm' ? 16 : 32).toString('base64');
    return { email: `${GUARD_PREFIX}${this.run}-${this.count}`, account: { protocol: 'shadowsocks-2022', key } };
  }
}
