/**
 * The e-mail under which nodes know a user: `<id>.<username>`. The id makes it unique, because engines compare e-mails
 * without regard to case, and usernames are compared with it.
 */
export function nodeEmail(id: number, username: string): string {
  return `${id}.${username}`;
}

/** The user id in an e-mail that a node reports; undefined when `nodeEmail` has not made it. */
export function userIdOfNodeEmail(email: string): number | undefined {
  const digits = /^([1-9]\d*)\./.exec(email)?.[1];
  const id = Number(digits);
  return Number.isSafeInteger(id) ? id : undefined;
}
