import { foldCase } from '@rampart/core-config';
import type { RefusedUser } from '@rampart/node-client';
import { inTurns } from '../../../concurrency/for-each-yielding.js';
import { type RawUser, removalOf, scanUser } from '../../../wire/raw-user.js';
import { bytesOfUser, readUser, textOfUser, type UserText } from '../../../wire/user-text.js';
import type { ServedUsers } from '../../backend.js';
import type { ManagedInbound } from '../config/inbounds.js';
import { type Account, accountOn, identityOf, secretName } from './account.js';
import { DirectoryDigest } from './directory-digest.js';
import { IdentityIndex } from './identity-index.js';
import { emailProblem, entryOf, judgedEntry, stepsOf, type UserEntry } from './user-entry.js';
import { type UserPlan, UserPlanning, type UserStep } from './user-plan.js';

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

/** Of a full set. */
export interface Exchange extends Change {
  /** Those who went, without inbounds, then those who came or changed, or would have. */
  readonly changed: readonly RawUser[];
}

interface Rival {
  readonly key: string;
  readonly reason: string;
}

/** So few are changed at once, so that nobody sees anything between. */
const FEW = 250;

async function atOnce<T>(items: Iterable<T>, work: (item: T) => void): Promise<void> {
  for (const item of items) work(item);
}

/** The users that the engine is to have, each proven against all others before it gets in. Changes must not overlap. */
export class UserDirectory implements ServedUsers {
  /** Their messages as text, by e-mail without case. */
  private readonly users = new Map<string, UserText>();
  private readonly identities = new IdentityIndex();
  private readonly sum = new DirectoryDigest();
  /** What others see while all of it changes. */
  private before?: { readonly texts: readonly UserText[]; readonly sum: DirectoryDigest };

  constructor(readonly inbounds: ReadonlyMap<string, ManagedInbound>) {}

  /**
   * A directory of exactly these users, and who was left out and why. Of two that collide the first stays; of two
   * versions of one user the last counts. Each user's steps are told at once, when they are known.
   */
  static async of(
    inbounds: ReadonlyMap<string, ManagedInbound>,
    users: Iterable<RawUser>,
    tell: (steps: readonly UserStep[]) => void = () => undefined,
  ): Promise<{ directory: UserDirectory; refused: RefusedUser[] }> {
    const directory = new UserDirectory(inbounds);
    const refused: RefusedUser[] = [];
    await inTurns(lastVersions(users), (user) => {
      const entry = directory.put(user);
      if (typeof entry === 'string') refused.push({ email: user.email, reason: entry });
      else tell(entry.steps);
    });
    return { directory, refused };
  }

  get count(): number {
    return this.before?.texts.length ?? this.users.size;
  }

  get digest(): Uint8Array {
    return (this.before?.sum ?? this.sum).value;
  }

  has(email: string): boolean {
    const text = this.users.get(foldCase(email));
    return text !== undefined && readUser(text).email === email;
  }

  all(): Iterable<RawUser> {
    return usersOf(this.before?.texts ?? [...this.users.values()]);
  }

  /** Where each of them is served, and as what. */
  *steps(): Iterable<readonly UserStep[]> {
    for (const text of this.users.values()) yield stepsOf(this.inbounds, readUser(text));
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

  /**
   * Makes the users exactly these; those refused are not among them. Who is there already keeps what they have, and costs
   * no more than a comparison. Others see the users before or those after, nothing between.
   */
  async replace(users: readonly RawUser[]): Promise<Exchange> {
    if (await this.isExactly(users)) return { plan: { removals: [], additions: [] }, refused: [], changed: [] };
    const leaving = new Set(this.users.keys());
    const coming: RawUser[] = [];
    await inTurns(lastVersions(users), (user) => {
      const key = foldCase(user.email);
      if (this.users.get(key) === textOfUser(user)) leaving.delete(key);
      else coming.push(user);
    });
    return this.unseen(() => this.exchange(leaving, coming));
  }

  /**
   * Adds and changes users, and removes those without inbounds, as one step: whoever comes may take what another one of
   * them gives up. Whoever is refused stays as before. Each e-mail at most once. Others see nothing between, either.
   */
  async change(users: readonly RawUser[]): Promise<Change> {
    const changed: RawUser[] = [];
    await inTurns(users, (user) => {
      if (this.users.get(foldCase(user.email)) !== textOfUser(user)) changed.push(user);
    });
    return changed.length < FEW ? this.alter(changed, atOnce) : this.unseen(() => this.alter(changed, inTurns));
  }

  /** Only under exactly this e-mail: another case is another user. Answers what must be removed in the engine. */
  remove(email: string): UserStep[] {
    return this.takeExactly(email).flatMap(({ steps }) => steps);
  }

  /** In the same order, as a caller sends them who has nothing new: then nobody has to be looked up. */
  private async isExactly(users: readonly RawUser[]): Promise<boolean> {
    if (users.length !== this.users.size) return false;
    const held = this.users.values();
    let same = true;
    await inTurns(users, (user) => {
      same &&= held.next().value === textOfUser(user);
    });
    return same;
  }

  /** Shows the users as they are now until the work is done. */
  private async unseen<T>(work: () => Promise<T>): Promise<T> {
    this.before = { texts: [...this.users.values()], sum: new DirectoryDigest(this.sum) };
    try {
      return await work();
    } finally {
      this.before = undefined;
    }
  }

  private async alter(changed: readonly RawUser[], each: typeof inTurns): Promise<Change> {
    const before: UserEntry[] = [];
    await each(changed, ({ email }) => before.push(...this.takeExactly(email)));
    const reasons = new Map<string, string>();
    const after = new Map<string, UserEntry>();
    await each(changed, (user) => {
      const entry = user.present ? this.put(user) : emailProblem(user.email);
      if (typeof entry === 'string') reasons.set(user.email, entry);
      else if (entry !== undefined) after.set(entry.email, entry);
    });
    if (reasons.size > 0) this.putBack(before, after, reasons);
    const plan = await planOf(before, after.values(), each);
    return { plan, refused: [...reasons].map(([email, reason]) => ({ email, reason })) };
  }

  private async exchange(leaving: Iterable<string>, coming: readonly RawUser[]): Promise<Exchange> {
    const gone: UserEntry[] = [];
    await inTurns(leaving, (key) => gone.push(...this.take(key)));
    const refused: RefusedUser[] = [];
    const come: UserEntry[] = [];
    await inTurns(coming, (user) => {
      const entry = this.put(user);
      if (typeof entry === 'string') refused.push({ email: user.email, reason: entry });
      else come.push(entry);
    });
    const changed = [...gone.map(({ email }) => removalOf(email, 0n)), ...coming];
    return { plan: await planOf(gone, come, inTurns), refused, changed };
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
    return this.has(email) ? this.take(foldCase(email)) : [];
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

function* usersOf(texts: readonly UserText[]): Generator<RawUser, void> {
  for (const text of texts) yield scanUser(bytesOfUser(text));
}

/** Of several versions of one user the last one, in the place of the first. */
function* lastVersions(users: Iterable<RawUser>): Generator<RawUser, void> {
  const last = new Map<string, RawUser>();
  for (const user of users) last.set(user.email, user);
  for (const user of last.values()) if (user.present) yield user;
}

async function planOf(
  before: readonly UserEntry[],
  after: Iterable<UserEntry>,
  each: typeof inTurns,
): Promise<UserPlan> {
  const planning = new UserPlanning(after);
  await each(before, (entry) => planning.change(entry));
  return planning.end();
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
