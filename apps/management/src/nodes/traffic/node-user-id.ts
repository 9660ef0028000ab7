import { MAX_INT32, userIdOfNodeEmail } from '@rampart/domain';

/** Whose traffic a node reports under this e-mail; undefined for one that is not ours: it is nobody's traffic. */
export function userIdOfTraffic(email: string): number | undefined {
  const id = userIdOfNodeEmail(email);
  return id !== undefined && id <= MAX_INT32 ? id : undefined;
}
