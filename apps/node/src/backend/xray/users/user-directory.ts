import { foldCase } from '@rampart/core-config';
import type { RefusedUser } from '@rampart/node-client';
import { forEachYielding } from '../../../concurrency/for-each-yielding.js';
import { type RawUser, removalMessage, scanUser } from '../../../wire/raw-user.js';
import { parseUserText, type UserText, userFromText, userToText } from '../../../wire/user-text.js';
import type { ServedUsers } from '../../backend.js';
import type { ManagedInbound } from '../config/managed-inbound.js';
import { type Account, accountOn, identityOf, secretName } from './account.js';
import { DirectoryDigest } from './directory-digest.js';
import { IdentityIndex } from './identity-index.js';
import { emailProblem, parseEntry, type UserEntry, userSteps, validateEntry } from './user-entry.js';
import { type UserPlan, UserPlanBuilder, type UserStep } from './user-plan.js';

/** A user of one inbound. */
export interface InboundMember {
  readonly email: string;
  readonly account: Account;
}

export interface DirectoryChange {
  /** The changes from the previous users to the new ones. */
  readonly plan: UserPlan;
  readonly refused: RefusedUser[];
}

/** The result of replacing all users. */
export interface DirectoryReplacement extends DirectoryChange {
  /** Removed users, as messages without inbounds, then added and changed users, including those that were refused. */
  readonly changed: readonly RawUser[];
}

interface Conflict {
  readonly key: string;
  readonly reason: string;
}

/** Fewer changes than this are applied in one turn of the event loop, so that no intermediate state is visible. */
const MIN_YIELDING_CHANGES = 250;

async function forEachAtOnce<T>(items: Iterable<T>, work: (item: T) => void): Promise<void> {
  for (const item of items) work(item);
}

/**
 * The users that the engine should have. Each is checked against all others before it is added. Changes must not
 * overlap.
 */
export class UserDirectory implements ServedUsers {
  /** User messages as text, by e-mail without case. */
  private readonly users = new Map<string, UserText>();
  private readonly identities = new IdentityIndex();
  private readonly runningDigest = new DirectoryDigest();
  /** A copy of the users before a large change, which readers see until the change is complete. */
  private visible?: { readonly texts: readonly UserText[]; readonly sum: DirectoryDigest };

  constructor(readonly inbounds: ReadonlyMap<string, ManagedInbound>) {}

  /**
   * Creates a directory of exactly these users, and reports who was refused and why. Of two users that conflict the
   * first stays; of two versions of one user the last counts. `onSteps` gets the steps of each user as soon as they are
   * known.
   */
  static async fromUsers(
    inbounds: ReadonlyMap<string, ManagedInbound>,
    users: Iterable<RawUser>,
    onSteps: (steps: readonly UserStep[]) => void = () => undefined,
  ): Promise<{ directory: UserDirectory; refused: RefusedUser[] }> {
    const directory = new UserDirectory(inbounds);
    const refused: RefusedUser[] = [];
    await forEachYielding(lastVersions(users), (user) => {
      const entry = directory.tryInsert(user);
      if (typeof entry === 'string') refused.push({ email: user.email, reason: entry });
      else onSteps(entry.steps);
    });
    return { directory, refused };
  }

  get count(): number {
    return this.visible?.texts.length ?? this.users.size;
  }

  get digest(): Uint8Array {
    return (this.visible?.sum ?? this.runningDigest).value;
  }

  hasUser(email: string): boolean {
    const text = this.users.get(foldCase(email));
    return text !== undefined && parseUserText(text).email === email;
  }

  allUsers(): Iterable<RawUser> {
    const texts = this.visible?.texts ?? [...this.users.values()];
    return { [Symbol.iterator]: () => parseUsers(texts) };
  }

  /** The inbounds and accounts of each user. */
  *steps(): Iterable<readonly UserStep[]> {
    for (const text of this.users.values()) yield userSteps(this.inbounds, parseUserText(text));
  }

  /** All users of one inbound. */
  *members(tag: string): Iterable<InboundMember> {
    const inbound = this.inbounds.get(tag);
    if (inbound === undefined) return;
    for (const text of this.users.values()) {
      const { email, proxies, inbounds } = parseUserText(text);
      const account = proxies && inbounds.includes(tag) ? accountOn(inbound, proxies) : undefined;
      if (account !== undefined) yield { email, account };
    }
  }

  /**
   * Replaces all users by exactly these, except for refused ones. An unchanged user costs only a comparison. Readers
   * see the users either before or after the change.
   */
  async replaceAll(users: readonly RawUser[]): Promise<DirectoryReplacement> {
    if (await this.isExactly(users)) return { plan: { removals: [], additions: [] }, refused: [], changed: [] };
    const leaving = new Set(this.users.keys());
    const coming: RawUser[] = [];
    await forEachYielding(lastVersions(users), (user) => {
      const key = foldCase(user.email);
      if (this.users.get(key) === userToText(user)) leaving.delete(key);
      else coming.push(user);
    });
    return this.hidingChanges(() => this.applyReplacement(leaving, coming));
  }

  /**
   * Adds and changes users, and removes those without inbounds, as one step: a user may take a credential that another
   * one of the call gives up. A refused user stays unchanged. Each e-mail may occur at most once. Readers see the users
   * either before or after the change.
   */
  async changeUsers(users: readonly RawUser[]): Promise<DirectoryChange> {
    const changed: RawUser[] = [];
    await forEachYielding(users, (user) => {
      if (this.users.get(foldCase(user.email)) !== userToText(user)) changed.push(user);
    });
    return changed.length < MIN_YIELDING_CHANGES
      ? this.applyChanges(changed, forEachAtOnce)
      : this.hidingChanges(() => this.applyChanges(changed, forEachYielding));
  }

  /**
   * Removes the user with exactly this e-mail; one with another case is another user. Returns what must be removed in
   * the engine.
   */
  removeUser(email: string): UserStep[] {
    return this.removeEmail(email).flatMap(({ steps }) => steps);
  }

  /**
   * Whether the users are exactly these, in the stored order. A caller without changes sends them in this order, so no
   * user has to be looked up.
   */
  private async isExactly(users: readonly RawUser[]): Promise<boolean> {
    if (users.length !== this.users.size) return false;
    const held = this.users.values();
    let same = true;
    await forEachYielding(users, (user) => {
      same &&= held.next().value === userToText(user);
    });
    return same;
  }

  /** Shows readers the current users until the work is done. */
  private async hidingChanges<T>(work: () => Promise<T>): Promise<T> {
    this.visible = { texts: [...this.users.values()], sum: new DirectoryDigest(this.runningDigest) };
    try {
      return await work();
    } finally {
      this.visible = undefined;
    }
  }

  private async applyChanges(changed: readonly RawUser[], each: typeof forEachYielding): Promise<DirectoryChange> {
    const before: UserEntry[] = [];
    await each(changed, ({ email }) => before.push(...this.removeEmail(email)));
    const reasons = new Map<string, string>();
    const after = new Map<string, UserEntry>();
    await each(changed, (user) => {
      const entry = user.present ? this.tryInsert(user) : emailProblem(user.email);
      if (typeof entry === 'string') reasons.set(user.email, entry);
      else if (entry !== undefined) after.set(entry.email, entry);
    });
    if (reasons.size > 0) this.restoreRefused(before, after, reasons);
    const plan = await buildPlan(before, after.values(), each);
    return { plan, refused: [...reasons].map(([email, reason]) => ({ email, reason })) };
  }

  private async applyReplacement(leaving: Iterable<string>, coming: readonly RawUser[]): Promise<DirectoryReplacement> {
    const gone: UserEntry[] = [];
    await forEachYielding(leaving, (key) => gone.push(...this.removeKey(key)));
    const refused: RefusedUser[] = [];
    const come: UserEntry[] = [];
    await forEachYielding(coming, (user) => {
      const entry = this.tryInsert(user);
      if (typeof entry === 'string') refused.push({ email: user.email, reason: entry });
      else come.push(entry);
    });
    const changed = [...gone.map(({ email }) => removalMessage(email, 0n)), ...coming];
    return { plan: await buildPlan(gone, come, forEachYielding), refused, changed };
  }

  /** Restores refused users; a user who has taken one of their credentials is refused too. */
  private restoreRefused(
    before: readonly UserEntry[],
    after: Map<string, UserEntry>,
    reasons: Map<string, string>,
  ): void {
    const had = new Map(before.map((entry) => [entry.email, entry]));
    // The iteration includes keys that are added during the loop.
    for (const email of reasons.keys()) {
      const entry = had.get(email);
      if (entry === undefined) continue;
      const takers = [...new Set(this.findConflicts(entry).map(({ key }) => key))].flatMap((key) =>
        this.removeKey(key),
      );
      this.insert(entry);
      after.set(email, entry);
      for (const taker of takers) {
        const [rival] = this.findConflicts(taker);
        if (rival === undefined) {
          this.insert(taker);
        } else {
          after.delete(taker.email);
          reasons.set(taker.email, rival.reason);
        }
      }
    }
  }

  /** Adds a new user. Returns the reason when the user is refused; nothing has changed then. */
  private tryInsert(user: RawUser): UserEntry | string {
    const entry = validateEntry(this.inbounds, user);
    if (typeof entry === 'string') return entry;
    const [rival] = this.findConflicts(entry);
    if (rival !== undefined) return rival.reason;
    this.insert(entry);
    return entry;
  }

  private insert(entry: UserEntry): void {
    this.users.set(entry.key, entry.text);
    this.runningDigest.addUser(entry.text);
    for (const identity of entry.identities) this.identities.addKey(identity, entry.key);
  }

  private removeKey(key: string): [] | [UserEntry] {
    const text = this.users.get(key);
    if (text === undefined) return [];
    const entry = this.entry(text);
    this.users.delete(key);
    this.runningDigest.removeUser(text);
    for (const identity of entry.identities) this.identities.removeKey(identity, key);
    return [entry];
  }

  private removeEmail(email: string): [] | [UserEntry] {
    return this.hasUser(email) ? this.removeKey(foldCase(email)) : [];
  }

  /** Other users with the same name or credential, whom the engine would confuse with this one. */
  private findConflicts(user: UserEntry): Conflict[] {
    const rivals: Conflict[] = [];
    const twin = this.users.get(user.key);
    if (twin !== undefined) rivals.push({ key: user.key, reason: emailConflict(this.entry(twin).email) });
    for (const identity of user.identities) {
      for (const key of this.identities.keysOf(identity)) {
        const text = key === user.key ? undefined : this.users.get(key);
        const reason = text && identityConflict(user, this.entry(text));
        if (reason !== undefined) rivals.push({ key, reason });
      }
    }
    return rivals;
  }

  private entry(text: UserText): UserEntry {
    return parseEntry(this.inbounds, text);
  }
}

function* parseUsers(texts: readonly UserText[]): Generator<RawUser, void> {
  for (const text of texts) yield scanUser(userFromText(text));
}

/** Keeps the last of several versions of one user, at the position of the first. */
function* lastVersions(users: Iterable<RawUser>): Generator<RawUser, void> {
  const last = new Map<string, RawUser>();
  for (const user of users) last.set(user.email, user);
  for (const user of last.values()) if (user.present) yield user;
}

async function buildPlan(
  before: readonly UserEntry[],
  after: Iterable<UserEntry>,
  each: typeof forEachYielding,
): Promise<UserPlan> {
  const planning = new UserPlanBuilder(after);
  await each(before, (entry) => planning.planUser(entry));
  return planning.build();
}

/** Describes the credential that both have on a common inbound. */
function identityConflict(user: UserEntry, rival: UserEntry): string | undefined {
  const shared = user.steps.find(({ inbound, account }) =>
    rival.steps.some((other) => other.inbound.tag === inbound.tag && identityOf(other.account) === identityOf(account)),
  );
  return shared && `${secretName(shared.account.protocol)} equals that of ${JSON.stringify(rival.email)}`;
}

function emailConflict(other: string): string {
  return `email is that of ${JSON.stringify(other)}; the engine ignores case`;
}
