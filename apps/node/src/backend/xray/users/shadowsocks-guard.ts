import { randomBytes } from 'node:crypto';
import type { ManagedInbound } from '../config/managed-inbound.js';
import { GUARD_PREFIX } from '../names/reserved.js';
import type { InboundMember } from './user-directory.js';

type Inbound2022 = Extract<ManagedInbound, { protocol: 'shadowsocks-2022' }>;

/**
 * A random user of a shadowsocks-2022 inbound who never connects. One is there from the start: without any user the
 * engine accepts the inbound's own key, and takes no users later. One is added before each removal: while the engine
 * removes a user, a connection of the last one in its list would crash it.
 */
export function newGuardUser({ method }: Inbound2022): InboundMember & { account: { readonly key: string } } {
  const key = randomBytes(method === '2022-blake3-aes-128-gcm' ? 16 : 32).toString('base64');
  const email = `${GUARD_PREFIX}${randomBytes(8).toString('hex')}`;
  return { email, account: { protocol: 'shadowsocks-2022', key } };
}
