import { setImmediate } from 'node:timers/promises';
import type { RefusedUser } from '@rampart/node-client';
import { type RawUser, scanUser } from '../../../wire/raw-user.js';
import { bytesOfUser, readUser, textOfUser, type UserText } from '../../../wire/user-text.js';
import type { ServedUsers } from '../../backend.js';
import type { ManagedInbound } from '../config/inbounds.js';
import { foldCase } from '../fold-case.js';
import { type Account, accountOn, identityOf, secretName } from './account.js';
import { DirectoryDigest } from './directory-digest.js';
import { IdentityIndex } from './identity-index.js';
import { emailProblem, entryOf, judgedEntry, type UserEntry } from './user-entry.js';
import { planUser, type UserPlan, type UserStep } from './user-plan.js';

/** A user of one inbound. */
export interface Member {
  readonly email: string;
  readonly account: Account;
}

export interface Change {
  /** From what the engine has to what it is to have. */
  readonly plan: UserPlan;
  readonly refused: RefusedUser[];
}

interface Rival {
  readonly key: string;
  readonly reason: string;
}

/** Users that one turn of the event loop judges. */
const PART = 1000;

/** The users that the engine is to have, each proven against all others before it gets in. Changes must not overlap. */
export class UserDirectory implements ServedUsers {
  /** Their messages as text, by e-mail without case. */
  private readonly users: Map<string, UserText>;
  private readonly identities: IdentityIndex;
  private readonly sum: DirectoryDigest;

  constructor(
    readonly inbounds: ReadonlyMap<string, ManagedInbound>,
    other?: UserDirectory,
  ) {
    this.users = new Map(other?.users);
    this.identities = new IdentityIndex(other?.identities);
    this.sum = new DirectoryDigest(other?.sum);
  }

  /**
   * A directory of exactly these users, and who was left out and why. Of two that collide the first stays; of two
   * versions of one user the last counts.
   */
  static async of(
    inbounds: ReadonlyMap<string, ManagedInbound>,
    users: Iterable<RawUser>,
  ): Promise<{ directory: UserDirectory; refused: RefusedUser[] }> {
    const directory = new UserDirectory(inbounds);
    const refused: RefusedUser[] = [];
    let count = 0;
    for (const user of lastVersions(users)) {
      const entry = directory.put(user);
      if (typeof entry === 'string') refused.push({ email: user.email, reason: entry });
      count += 1;
      if (count % PART === 0) await setImmediate();
    }
    return { directory, refused };
  }

  get count(): number {
    return this.users.size;
  }

  get digest(): Uint8Array {
    return this.sum.value;
  }

  *all(): Iterable<RawUser> {
    for (const text of this.users.values()) yield scanUser(bytesOfUser(text));
  }

  /** Everybody on one inbound. */
  *members(tag: string): Iterable<Member> {
    const inbound = this.inbounds.get(tag);
    if (inbound === undefined) return;
    for (const text of this.users.values()) {
      const { email, proxies, inbounds } = readUser(text);
      const account = proxies && inbounds.includes(tag) ? accountOn(inbound, proxies) : undefined;
      if (account !== undefined) yield { email, account };
    }
  }

  /** The same users once more; neither sees the changes of the other. */
  copy(): UserDirectory {
    return new UserDirectory(this.inbounds, this);
  }

  /**
   * Makes the users exactly these; those refused are not among them. Who is there already keeps what they have, and costs
   * no more than a comparison.
   */
  async replace(users: readonly RawUser[]): Promise<Change> {
    const leaving = new Set(this.users.keys());
    const coming: RawUser[] = [];
    let count = 0;
    for (const user of lastVersions(users)) {
      const key = foldCase(user.email);
      if (this.users.get(key) === textOfUser(user)) leaving.delete(key);
      else coming.push(user);
      count += 1;
      if (count % PART === 0) await setImmediate();
    }
    const before: UserEntry[] = [];
    for (const key of leaving) {
      before.push(...this.take(key));
      if (before.length % PART === 0) await setImmediate();
    }
    const refused: RefusedUser[] = [];
    const after: UserEntry[] = [];
    for (const [index, user] of coming.entries()) {
      const entry = this.put(user);
      if (typeof entry === 'string') refused.push({ email: user.email, reason: entry });
      else after.push(entry);
      if (index % PART === PART - 1) await setImmediate();
    }
    return { plan: planOf(before, after), refused };
  }

  /**
   * Adds and changes users, and removes those without inbounds, as one step: whoever comes may take what another one of
   * them gives up. Whoever is refused stays as before. Each e-mail at most once.
   */
  change(users: readonly RawUser[]): Change {
    const changed = users.filter((user) => this.users.get(foldCase(user.email)) !== textOfUser(user));
    const before = changed.flatMap(({ email }) => this.takeExactly(email));
    const reasons = new Map<string, string>();
    const after = new Map<string, UserEntry>();
    for (const user of changed) {
      const entry = user.present ? this.put(user) : emailProblem(user.email);
      if (typeof entry === 'string') reasons.set(user.email, entry);
      else if (entry !== undefined) after.set(entry.email, entry);
    }
    if (reasons.size > 0) this.putBack(before, after, reasons);
    return {
      plan: planOf(before, after.values()),
      refused: [...reasons].map(([email, reason]) => ({ email, reason })),
    };
  }

  /** Only under exactly this e-mail: another case is another user. Answers what must be removed in the engine. */
  remove(email: string): UserStep[] {
    return this.takeExactly(email).flatMap(({ steps }) => steps);
  }

  /** Whoever is refused keeps what they had; so whoever took that is refused too. */
  private putBack(before: readonly UserEntry[], after: Map<string, UserEntry>, reasons: Map<string, string>): void {
    const had = new Map(before.map((entry) => [entry.email, entry]));
    // A map's walk also comes to what is added on the way.
    for (const email of reasons.keys()) {
      const entry = had.get(email);
      if (entry === undefined) continue;
      const takers = [...new Set(this.rivals(entry).map(({ key }) => key))].flatMap((key) => this.take(key));
      this.hold(entry);
      after.set(email, entry);
      for (const taker of takers) {
        const [rival] = this.rivals(taker);
        if (rival === undefined) {
          this.hold(taker);
        } else {
          after.delete(taker.email);
          reasons.set(taker.email, rival.reason);
        }
      }
    }
  }

  /** Adds a user who is not there. Answers why not, if not; then nothing has changed. */
  private put(user: RawUser): UserEntry | string {
    const entry = judgedEntry(this.inbounds, user);
    if (typeof entry === 'string') return entry;
    const [rival] = this.rivals(entry);
    if (rival !== undefined) return rival.reason;
    this.hold(entry);
    return entry;
  }

  private hold(entry: UserEntry): void {
    this.users.set(entry.key, entry.text);
    this.sum.add(entry.text);
    for (const identity of entry.identities) this.identities.add(identity, entry.key);
  }

  private take(key: string): [] | [UserEntry] {
    const text = this.users.get(key);
    if (text === undefined) return [];
    const entry = this.entry(text);
    this.users.delete(key);
    this.sum.remove(text);
    for (const identity of entry.identities) this.identities.remove(identity, key);
    return [entry];
  }

  private takeExactly(email: string): [] | [UserEntry] {
    const key = foldCase(email);
    const text = this.users.get(key);
    return text !== undefined && readUser(text).email === email ? this.take(key) : [];
  }

  /** Others who have the name or a credential of this user, where the engine would take one for the other. */
  private rivals(user: UserEntry): Rival[] {
    const rivals: Rival[] = [];
    const twin = this.users.get(user.key);
    if (twin !== undefined) rivals.push({ key: user.key, reason: sameEmail(this.entry(twin).email) });
    for (const identity of user.identities) {
      for (const key of this.identities.get(identity)) {
        const text = key === user.key ? undefined : this.users.get(key);
        const reason = text && sameIdentity(user, this.entry(text));
        if (reason !== undefined) rivals.push({ key, reason });
      }
    }
    return rivals;
  }

  private entry(text: UserText): UserEntry {
    return entryOf(this.inbounds, text);
  }
}

/** Of several versions of one user the last one, in the place of the first. */
function* lastVersions(users: Iterable<RawUser>): Generator<RawUser, void> {
  const last = new Map<string, RawUser>();
  for (const user of users) last.set(user.email, user);
  for (const user of last.values()) if (user.present) yield user;
}

function planOf(before: Iterable<UserEntry>, after: Iterable<UserEntry>): UserPlan {
  const plan: UserPlan = { removals: [], additions: [] };
  const wanted = new Map<string, UserEntry>();
  for (const entry of after) wanted.set(entry.email, entry);
  for (const { email, steps } of before) {
    planUser(plan, steps, wanted.get(email)?.steps ?? []);
    wanted.delete(email);
  }
  for (const { steps } of wanted.values()) plan.additions.push(...steps);
  return plan;
}

/** Why the engine would take one for the other on an inbound that both have. */
function sameIdentity(user: UserEntry, rival: UserEntry): string | undefined {
  const shared = user.steps.find(({ inbound, account }) =>
    rival.steps.some((other) => other.inbound.tag === inbound.tag && identityOf(other.account) === identityOf(account)),
  );
  return shared && `${secretName(shared.account.protocol)} equals that of ${JSON.stringify(rival.email)}`;
}

function sameEmail(other: string): string {
  return `email is that of ${JSON.stringify(other)}; the engine ignores case`;
}
