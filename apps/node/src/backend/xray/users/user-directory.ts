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

  /**
   * A directory of exactly these users, and who was left out and why. Of two that collide the first stays; of two
   * versions of one user the last counts.
   */
  static of(
    inbounds: ReadonlyMap<string, ManagedInbound>,
    users: readonly BackendUser[],
  ): { directory: UserDirectory; refused: RefusedUser[] } {
    const directory = new UserDirectory(inbounds);
    const refused: RefusedUser[] = [];
    for (const user of new Map(users.map((one) => [one.email, one])).values()) {
      const reason = user.inbounds.length > 0 ? directory.put(user) : undefined;
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

  /**
   * Adds and changes users, and removes those without inbounds, as one step: whoever comes may take what another one of
   * them gives up. Answers who is refused; they stay as they were. Each e-mail at most once.
   */
  change(users: readonly BackendUser[]): RefusedUser[] {
    const before = users.flatMap(({ email }) => this.exactly(email) ?? []);
    for (const { email } of before) this.remove(email);
    const reasons = new Map<string, string>();
    for (const user of users) {
      const reason = user.inbounds.length > 0 ? this.put(user) : emailProblem(user.email);
      if (reason !== undefined) reasons.set(user.email, reason);
    }
    if (reasons.size > 0) this.putBack(before, reasons);
    return [...reasons].map(([email, reason]) => ({ email, reason }));
  }

  /** Whoever is refused keeps what they had; so whoever took that is refused too. */
  private putBack(before: readonly BackendUser[], reasons: Map<string, string>): void {
    const had = new Map(before.map((user) => [user.email, user]));
    // A map's walk also comes to what is added on the way.
    for (const email of reasons.keys()) {
      const user = had.get(email);
      if (user === undefined) continue;
      const takers = new Set(this.rivals(user).map(({ rival }) => rival));
      for (const taker of takers) this.remove(taker.email);
      this.put(user);
      for (const taker of takers) {
        const reason = this.put(taker);
        if (reason !== undefined) reasons.set(taker.email, reason);
      }
    }
  }

  /** Adds or changes a user. Answers why not, if not; then nothing has changed. */
  put(user: BackendUser): string | undefined {
    const problem = emailProblem(user.email);
    if (problem !== undefined) return problem;
    let memberships: Membership[];
    try {
      memberships = this.memberships(user);
    } catch (error) {
      if (error instanceof AccountError) return error.message;
      throw error;
    }
    const [first] = this.rivals(user, memberships);
    if (first !== undefined) return first.reason;
    this.remove(user.email);
    const key = foldCase(user.email);
    this.users.set(key, { ...user, inbounds: this.tagList(user.inbounds) });
    for (const identity of identities(memberships)) this.hold(identity, key);
    return undefined;
  }

  /** Only under exactly this e-mail: another case is another user. Absent is fine. */
  remove(email: string): void {
    const user = this.exactly(email);
    if (user === undefined) return;
    const key = foldCase(email);
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

  private exactly(email: string): BackendUser | undefined {
    const user = this.get(email);
    return user?.email === email ? user : undefined;
  }

  /** Others who have the name or a credential of this user, where the engine would take one for the other. */
  private rivals(user: BackendUser, memberships = this.memberships(user)): { rival: BackendUser; reason: string }[] {
    const key = foldCase(user.email);
    const twin = this.users.get(key);
    const named =
      twin === undefined || twin.email === user.email ? [] : [{ rival: twin, reason: sameEmail(twin.email) }];
    const alike = memberships.flatMap(({ inbound, account }) =>
      (this.holders.get(identityOf(account)) ?? []).flatMap((holder) => {
        const rival = holder === key ? undefined : this.users.get(holder);
        if (!rival?.inbounds.includes(inbound.tag)) return [];
        return [{ rival, reason: `${secretName(account.protocol)} equals that of ${JSON.stringify(rival.email)}` }];
      }),
    );
    return [...named, ...alike];
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
function emailProblem(email: string): string | undefined {
  if (email.trim() === '') return 'email is missing';
  if (CONTROL.test(email)) return 'email has a control character';
  if (isReserved(email)) return `email begins with "${RESERVED_PREFIX}", which is reserved for the node`;
  return undefined;
}

function sameEmail(other: string): string {
  return `email is that of ${JSON.stringify(other)}; the engine ignores case`;
}
