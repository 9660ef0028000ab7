import type { RefusedUser } from '@rampart/node-client';
import type { BackendUser } from '../../backend.js';
import type { ManagedInbound } from '../config/inbounds.js';
import { foldCase } from '../fold-case.js';
import { isReserved, RESERVED_PREFIX } from '../reserved.js';
import { type Account, AccountError, accountOn, identityOf, secretName } from './account.js';

/** A user's account on one inbound. */
export interface Membership {
  readonly inbound: ManagedInbound;
  readonly account: Account;
}

const CONTROL = /\p{Cc}/u;

/** The users that the engine is to have, each proven against all others before it gets in. */
export class UserDirectory {
  /** By e-mail without case, as the engine compares. */
  private readonly users = new Map<string, BackendUser>();
  /** Who has an identity; users may share one as long as they share no inbound. */
  private readonly holders = new Map<string, string[]>();
  /** The lists of tags that users have, each kept once. */
  private readonly tagLists = new Map<string, readonly string[]>();

  constructor(readonly inbounds: ReadonlyMap<string, ManagedInbound>) {}

  /** A directory of exactly these users, and who was left out and why. Of two that collide the first stays. */
  static of(
    inbounds: ReadonlyMap<string, ManagedInbound>,
    users: readonly BackendUser[],
  ): { directory: UserDirectory; refused: RefusedUser[] } {
    const directory = new UserDirectory(inbounds);
    const refused: RefusedUser[] = [];
    const present = users.filter((user) => user.inbounds.length > 0);
    for (const user of present) {
      const other = directory.get(user.email);
      const reason = other === undefined ? directory.put(user) : sameEmail(other.email);
      if (reason !== undefined) refused.push({ email: user.email, reason });
    }
    return { directory, refused };
  }

  get(email: string): BackendUser | undefined {
    return this.users.get(foldCase(email));
  }

  all(): IterableIterator<BackendUser> {
    return this.users.values();
  }

  /** Adds or changes a user. Answers why not, if not; then nothing has changed. */
  put(user: BackendUser): string | undefined {
    const key = foldCase(user.email);
    const before = this.users.get(key);
    const problem =
      emailProblem(user.email) ?? (before && before.email !== user.email ? sameEmail(before.email) : undefined);
    if (problem !== undefined) return problem;
    let memberships: Membership[];
    try {
      memberships = this.memberships(user);
    } catch (error) {
      if (error instanceof AccountError) return error.message;
      throw error;
    }
    const collision = this.collision(key, memberships);
    if (collision !== undefined) return collision;
    if (before !== undefined) this.remove(before.email);
    this.users.set(key, { ...user, inbounds: this.tagList(user.inbounds) });
    for (const identity of identities(memberships)) this.hold(identity, key);
    return undefined;
  }

  /** Only under exactly this e-mail: another case is another user. Absent is fine. */
  remove(email: string): void {
    const key = foldCase(email);
    const user = this.users.get(key);
    if (user?.email !== email) return;
    for (const identity of identities(this.memberships(user))) this.release(identity, key);
    this.users.delete(key);
  }

  /** The accounts of a user that this directory holds or has proven. Tags that there are not are passed over. */
  memberships({ credentials, inbounds }: BackendUser): Membership[] {
    return [...new Set(inbounds)].flatMap((tag) => {
      const inbound = this.inbounds.get(tag);
      const account = inbound && accountOn(inbound, credentials);
      return inbound && account ? [{ inbound, account }] : [];
    });
  }

  private collision(key: string, memberships: readonly Membership[]): string | undefined {
    for (const { inbound, account } of memberships) {
      const others = (this.holders.get(identityOf(account)) ?? []).filter((holder) => holder !== key);
      const other = others.map((holder) => this.users.get(holder)).find((user) => user?.inbounds.includes(inbound.tag));
      if (other !== undefined) return `${secretName(account.protocol)} equals that of ${JSON.stringify(other.email)}`;
    }
    return undefined;
  }

  private hold(identity: string, key: string): void {
    const holders = this.holders.get(identity);
    if (holders === undefined) this.holders.set(identity, [key]);
    else holders.push(key);
  }

  private release(identity: string, key: string): void {
    const holders = (this.holders.get(identity) ?? []).filter((holder) => holder !== key);
    if (holders.length === 0) this.holders.delete(identity);
    else this.holders.set(identity, holders);
  }

  private tagList(tags: readonly string[]): readonly string[] {
    const name = tags.join('\0');
    const known = this.tagLists.get(name);
    if (known === undefined) this.tagLists.set(name, tags);
    return known ?? tags;
  }
}

function identities(memberships: readonly Membership[]): Set<string> {
  return new Set(memberships.map(({ account }) => identityOf(account)));
}

/** What is wrong with a user's name, whatever is to be done with the user. */
export function emailProblem(email: string): string | undefined {
  if (email.trim() === '') return 'email is missing';
  if (CONTROL.test(email)) return 'email has a control character';
  if (isReserved(email)) return `email begins with "${RESERVED_PREFIX}", which is reserved for the node`;
  return undefined;
}

function sameEmail(other: string): string {
  return `email is that of ${JSON.stringify(other)}; the engine ignores case`;
}
