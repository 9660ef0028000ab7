import type { Actor } from '../access/actor.js';

/** A condition on the rows of `users`, with its parameters from `$1` on. */
export interface UserCondition {
  sql: string;
  parameters: readonly unknown[];
}

/** Collects conditions that all hold; each may name its parameter once, as `?`. */
export class UserWhere implements UserCondition {
  readonly parameters: unknown[] = [];
  private readonly conditions: string[] = [];

  /** Nothing is added for a value that is not given. */
  and(condition: string, value: unknown): this {
    if (value === undefined) return this;
    this.parameters.push(value);
    this.conditions.push(condition.replaceAll('?', `$${this.parameters.length}`));
    return this;
  }

  get isEmpty(): boolean {
    return this.conditions.length === 0;
  }

  get sql(): string {
    return ['true', ...this.conditions].join(' AND ');
  }
}

/** The users that an admin may see: a plain admin its own. */
export const scopeOf = (actor: Actor): UserWhere =>
  new UserWhere().and('users.admin_id = ?', actor.isSudo ? undefined : actor.id);
