import { userIdOfNodeEmail } from '@rampart/domain';

const LARGEST_ID = 2 ** 31 - 1;

/** Whose traffic a node reports under this e-mail; undefined for one that is not ours: it is nobody's traffic. */
export function userIdOfTraffic(email: string): number | undefined {
  const id = userIdOfNodeEmail(email);
  return id !== undefined && id <= LARGEST_ID ? id : undefined;
}
