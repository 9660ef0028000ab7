/**
 * The name under which nodes know a user. It starts with the id, because engines ignore the case of e-mails and
 * usernames do not.
 */
export function nodeEmail(id: number, username: string): string {
  return `${id}.${username}`;
}

/** The user id in a node's e-mail; nothing when the e-mail is not one of ours. */
export function userIdOfNodeEmail(email: string): number | undefined {
  const digits = /^([1-9]\d*)\./.exec(email)?.[1];
  const id = Number(digits);
  return Number.isSafeInteger(id) ? id : undefined;
}
