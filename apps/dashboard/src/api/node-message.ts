export interface NodeMessage {
  /** Sentences about the node as a whole. */
  lines: string[];
  /** Users whom the node does not accept, by name, with its reason. */
  refused: { user: string; reason: string }[];
  /** Refused users that the message does not name. */
  unnamed: number;
}

const REFUSED = /^(?<count>\d+) users refused: (?<users>.*)$/;
const USER = /(\S+) \((.*?)\)(?=, \S+ \(|, and \d+ more$|$)/g;

/** How many users a line of the message of a node reports as refused; undefined in any other line. */
export function refusedIn(line: string): number | undefined {
  const count = REFUSED.exec(line)?.groups?.count;
  return count === undefined ? undefined : Number(count);
}

/** Takes the message of a node apart: what management writes is one sentence a line, and one line names refused users. */
export function readNodeMessage(message: string | null): NodeMessage {
  const found: NodeMessage = { lines: [], refused: [], unnamed: 0 };
  for (const line of message?.split('\n') ?? []) {
    const users = REFUSED.exec(line)?.groups?.users;
    if (users === undefined) found.lines.push(line);
    else {
      found.refused.push(...[...users.matchAll(USER)].map(([, user = '', reason = '']) => ({ user, reason })));
      found.unnamed += Number(/, and (\d+) more$/.exec(users)?.[1] ?? 0);
    }
  }
  return found;
}
