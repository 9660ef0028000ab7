import { NodeClientError } from '../errors/node-client-error.js';

const NAMED = 20;

/** Refusals of single users by their code, in the order of precedence, and how a text about several begins. */
const KINDS = [
  ['USERS_REFUSED', 'refused'],
  ['STALE_REVISION', 'not changed'],
] as const;

/** Gathers what single calls refused, so that REST answers for many users as the one gRPC stream does. */
export class RefusedUsers {
  private readonly errors: NodeClientError[] = [];
  private readonly counts = { USERS_REFUSED: 0, STALE_REVISION: 0 };

  /** Keeps a refusal; throws every other error. */
  add(error: unknown): void {
    if (!(error instanceof NodeClientError)) throw error;
    const { code } = error;
    if (code !== 'USERS_REFUSED' && code !== 'STALE_REVISION') throw error;
    this.counts[code] += 1;
    if (this.counts[code] <= NAMED) this.errors.push(error);
  }

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
  const more = count > NAMED ? `, and ${count - NAMED} more` : '';
  return `${count} users ${verb}: ${named}${more}`;
}
