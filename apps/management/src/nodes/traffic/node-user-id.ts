import { MAX_INT32, userIdOfNodeEmail } from '@rampart/domain';

/** The id of the user whose traffic a node reports under this e-mail; undefined for an e-mail that is not ours. */
export function userIdOfTraffic(email: string): number | undefined {
  const id = userIdOfNodeEmail(email);
  return id !== undefined && id <= MAX_INT32 ? id : undefined;
}
