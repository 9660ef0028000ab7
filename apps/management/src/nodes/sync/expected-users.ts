import { userIdOfNodeEmail } from '@rampart/domain';
import { type BaseInfoResponse, UsersDigest, userDigest } from '@rampart/node-client';
import type { DataSource, EntityManager } from 'typeorm';
import { Semaphore } from '../../concurrency/semaphore.js';
import { asDatabase } from '../../database/database.js';
import { currentRevision } from '../../database/revision.js';
import {
  after,
  type ChangePosition,
  changedUsersAfter,
  type ServedUser,
} from '../../user-store/served/served-users.js';
import type { CoreView } from './core-view.js';
import { DigestTable } from './digest-table.js';
import { servedPages } from './served-pages.js';

const PAGE_SIZE = 2_000;
/** With more users in the digests of all views, those of the view that was not compared for the longest are dropped. */
const MAX_KEPT_DIGESTS = 1_000_000;

/** The digests of all users whom nodes with one view serve: by user id, and their sum. */
interface Digests {
  readonly view: CoreView;
  readonly byUser: DigestTable;
  readonly sum: UsersDigest;
}

/** The digests of all views up to a revision, by the keys of the views; the one that was used last stands last. */
interface KnownDigests {
  revision: bigint;
  readonly byView: Map<string, Digests>;
}

/** The users that a node should hold at one moment. */
export interface ExpectedUserSet {
  /** Changes that the node must receive before it can hold these users, in their order. */
  readonly changes: readonly ServedUser[];
  /** Whether the node holds these users. Another implementation reports no digest and is taken at its word. */
  matches(info: BaseInfoResponse): boolean;
  /** Identifies the digests that were used. */
  readonly source: object;
}

/**
 * The users that nodes should hold, as digests that are compared with what a node reports. All users of a view are read once
 * for all its nodes of this replica; after that only changes are read. 100,000 users need about 5 MB.
 */
export class ExpectedUsers {
  /** One reader at a time updates the digests. */
  private readonly mutex = new Semaphore(1);
  private known?: KnownDigests;

  constructor(private readonly database: DataSource) {}

  /** The revision up to which changes were read; undefined where no digests exist that could miss one. */
  get followedRevision(): bigint | undefined {
    return this.known?.revision;
  }

  /**
   * The users that a node with this view should hold which has received all changes up to `position`.
   *
   * @param limit with this many changes behind the position or more, nothing is returned
   * @param signal ends the wait for other readers
   * @param doubted a result that the node does not match: all users are read again
   */
  expectedAt(
    view: CoreView,
    position: ChangePosition,
    limit: number,
    signal: AbortSignal,
    doubted?: ExpectedUserSet,
  ): Promise<ExpectedUserSet | undefined> {
    const read = async (manager: EntityManager) => {
      const changes = await changedUsersAfter(manager, position, limit);
      if (changes.length >= limit) return undefined;
      const digests = await this.currentDigests(manager, view, doubted);
      const sum = digests.sum.copy();
      return { changes, source: digests, matches: (info: BaseInfoResponse) => matches(sum, digests, info) };
    };
    return this.mutex.run(() => asDatabase(this.database).snapshot(read), signal);
  }

  private async currentDigests(
    manager: EntityManager,
    view: CoreView,
    doubted: ExpectedUserSet | undefined,
  ): Promise<Digests> {
    const revision = await currentRevision(manager);
    const { known } = this;
    // A failure below must not leave half-updated digests behind.
    this.known = undefined;
    // After a restore from a backup the database has lower revisions than before.
    const current = known && known.revision <= revision ? known : { revision, byView: new Map<string, Digests>() };
    const { byView } = current;
    if (byView.get(view.key) === doubted?.source) byView.delete(view.key);
    if (byView.size > 0) await applyChanges(manager, current);
    const digests = byView.get(view.key) ?? (await readDigests(manager, view));
    byView.delete(view.key);
    byView.set(view.key, digests);
    dropOldest(byView);
    current.revision = revision;
    this.known = current;
    return digests;
  }
}

/** The newest digests stay, however many they are. */
function dropOldest(byView: Map<string, Digests>): void {
  let kept = 0;
  for (const [key, { byUser }] of [...byView].reverse()) {
    kept += byUser.size;
    if (kept > MAX_KEPT_DIGESTS && kept > byUser.size) byView.delete(key);
  }
}

async function readDigests(manager: EntityManager, view: CoreView): Promise<Digests> {
  const digests = { view, byUser: new DigestTable(), sum: new UsersDigest() };
  for await (const page of servedPages(manager, view, PAGE_SIZE)) for (const user of page) setDigest(digests, user);
  return digests;
}

async function applyChanges(manager: EntityManager, { revision, byView }: KnownDigests): Promise<void> {
  for (let position = after(revision); ; ) {
    const page = await changedUsersAfter(manager, position, PAGE_SIZE);
    for (const digests of byView.values()) for (const user of page) setDigest(digests, user);
    const last = page.at(-1);
    if (!last || page.length < PAGE_SIZE) return;
    position = { revision: last.revision, userId: last.id };
  }
}

/** A user without any inbound of the nodes is on none of them and has no digest. */
function setDigest({ view, byUser, sum }: Digests, user: ServedUser): void {
  const before = byUser.get(user.id);
  if (before) sum.removeDigest(before);
  byUser.delete(user.id);
  if (!view.serves(user)) return;
  const now = userDigest(view.nodeUser(user));
  sum.addDigest(now);
  byUser.set(user.id, now);
}

/** Users that the node refused are expected to be missing. */
function matches(sum: UsersDigest, { byUser }: Digests, { usersDigest, refused }: BaseInfoResponse): boolean {
  if (usersDigest.length === 0) return true;
  const expected = sum.copy();
  for (const { email } of refused) {
    const digest = byUser.get(userIdOfNodeEmail(email) ?? 0);
    if (digest) expected.removeDigest(digest);
  }
  return Buffer.compare(expected.value, usersDigest) === 0;
}
