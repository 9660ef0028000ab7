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
  servedUsers,
} from '../../user-store/served/served-users.js';
import { nodeUser } from './node-user.js';

const PAGE_SIZE = 2_000;

/** The digests of all served users up to a revision: by user id, and their sum. */
interface Digests {
  revision: bigint;
  readonly byUser: Map<number, Uint8Array>;
  readonly sum: UsersDigest;
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
 * The users that every node should hold, as digests that are compared with what a node reports. All users are read once
 * for all nodes of this replica; after that only changes are read. 100,000 users need about 10 MB.
 */
export class ExpectedUsers {
  /** One reader at a time updates the digests. */
  private readonly mutex = new Semaphore(1);
  private digests?: Digests;

  constructor(private readonly database: DataSource) {}

  /** The revision up to which changes were read; undefined where no digests exist that could miss one. */
  get followedRevision(): bigint | undefined {
    return this.digests?.revision;
  }

  /**
   * The users that a node should hold which has received all changes up to `position`.
   *
   * @param limit with this many changes behind the position or more, nothing is returned
   * @param signal ends the wait for other readers
   * @param doubted a result that the node does not match: all users are read again
   */
  expectedAt(
    position: ChangePosition,
    limit: number,
    signal: AbortSignal,
    doubted?: ExpectedUserSet,
  ): Promise<ExpectedUserSet | undefined> {
    const read = async (manager: EntityManager) => {
      const changes = await changedUsersAfter(manager, position, limit);
      if (changes.length >= limit) return undefined;
      const digests = await this.currentDigests(manager, doubted);
      const sum = digests.sum.copy();
      return { changes, source: digests, matches: (info: BaseInfoResponse) => matches(sum, digests, info) };
    };
    return this.mutex.run(() => asDatabase(this.database).snapshot(read), signal);
  }

  private async currentDigests(manager: EntityManager, doubted: ExpectedUserSet | undefined): Promise<Digests> {
    const revision = await currentRevision(manager);
    const known = this.digests;
    // A failure below must not leave half-updated digests behind.
    this.digests = undefined;
    // After a restore from a backup the database has lower revisions than before.
    const usable = known && known !== doubted?.source && known.revision <= revision ? known : undefined;
    const digests = usable ?? (await readAllDigests(manager));
    if (usable) await applyChanges(manager, usable);
    digests.revision = revision;
    this.digests = digests;
    return digests;
  }
}

async function readAllDigests(manager: EntityManager): Promise<Digests> {
  const digests: Digests = { revision: 0n, byUser: new Map(), sum: new UsersDigest() };
  for (let lastId = 0; ; ) {
    const page = await servedUsers(manager, lastId, PAGE_SIZE);
    for (const user of page) setDigest(digests, user);
    const last = page.at(-1);
    if (!last || page.length < PAGE_SIZE) return digests;
    lastId = last.id;
  }
}

async function applyChanges(manager: EntityManager, digests: Digests): Promise<void> {
  for (let position = after(digests.revision); ; ) {
    const page = await changedUsersAfter(manager, position, PAGE_SIZE);
    for (const user of page) setDigest(digests, user);
    const last = page.at(-1);
    if (!last || page.length < PAGE_SIZE) return;
    position = { revision: last.revision, userId: last.id };
  }
}

/** A user without inbounds is on no node and has no digest. */
function setDigest({ byUser, sum }: Digests, user: ServedUser): void {
  const before = byUser.get(user.id);
  if (before) sum.removeDigest(before);
  byUser.delete(user.id);
  if (user.inboundTags.length === 0) return;
  const now = userDigest(nodeUser(user));
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
