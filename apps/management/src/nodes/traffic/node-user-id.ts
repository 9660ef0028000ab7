import { MAX_INT32, userIdOfNodeEmail } from '@rampart/domain';

/** The digits of an id, a dot and the longest name have less. */
const MAX_EMAIL_LENGTH = 256;

/** The id of the user whose traffic a node reports under this e-mail; undefined for an e-mail that is not ours. */
export function userIdOfTraffic(email: string): number | undefined {
  if (email.length > MAX_EMAIL_LENGTH) return undefined;
  const id = userIdOfNodeEmail(email);
  return id !== undefined && id <= MAX_INT32 ? id : undefined;
}
