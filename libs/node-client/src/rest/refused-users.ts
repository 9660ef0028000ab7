import { NodeClientError } from '../errors/node-client-error.js';

/** Maximum number of users whose refusals are in the text of the error. */
const MAX_NAMED_USERS = 20;

/** Codes that refuse a single user, in the order of precedence, and the verb in the text about several users. */
const KINDS = [
  ['USERS_REFUSED', 'refused'],
  ['STALE_REVISION', 'not changed'],
] as const;

/** Collects refusals of single REST requests into one error, as the gRPC stream gives it. */
export class RefusedUsers {
  private readonly errors: NodeClientError[] = [];
  private readonly counts = { USERS_REFUSED: 0, STALE_REVISION: 0 };

  /** Adds the refusal of one user; throws any other error. */
  add(error: unknown): void {
    if (!(error instanceof NodeClientError)) throw error;
    const { code } = error;
    if (code !== 'USERS_REFUSED' && code !== 'STALE_REVISION') throw error;
    this.counts[code] += 1;
    if (this.counts[code] <= MAX_NAMED_USERS) this.errors.push(error);
  }

  /** Throws one error for all refusals; does nothing without any. */
  throwIfAny(): void {
    for (const [code, verb] of KINDS) {
      const errors = this.errors.filter((error) => error.code === code);
      const [first] = errors;
      const count = this.counts[code];
      if (first && count === 1) throw first;
      if (first) throw new NodeClientError(code, textOf(errors, count, verb), { httpStatus: first.httpStatus });
    }
  }
}

function textOf(errors: readonly NodeClientError[], count: number, verb: string): string {
  const named = errors.map(({ message }) => message.replace(`1 user ${verb}: `, '')).join(', ');
  const more = count > MAX_NAMED_USERS ? `, and ${count - MAX_NAMED_USERS} more` : '';
  return `${count} users ${verb}: ${named}${more}`;
}
