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

/** The digests of all served users, each of them and their sum, up to a revision. */
interface Digests {
  revision: bigint;
  readonly ofUsers: Map<number, Uint8Array>;
  readonly sum: UsersDigest;
}

/** What a node should hold at one moment. */
export interface ExpectedUserSet {
  /** Which the node has to be sent before it can hold that, in their order. */
  readonly changes: readonly ServedUser[];
  /** Whether it does. A node of other make tells no digest, and is believed. */
  matches(info: BaseInfoResponse): boolean;
  readonly source: object;
}

/**
 * What every node should hold, to be compared with what a node says it holds. All users are read once for all nodes of
 * this replica; then only changes are. Some 10 MB for 100,000 users.
 */
export class ExpectedUsers {
  private readonly gate = new Semaphore(1);
  private digests?: Digests;

  constructor(private readonly database: DataSource) {}

  /** Up to which revision the changes have been followed; undefined: nothing is known that could miss one. */
  get followedRevision(): bigint | undefined {
    return this.digests?.revision;
  }

  /**
   * @param position up to where the node has heard; with `limit` changes behind it or more, nothing is answered
   * @param signal ends the wait for other readers
   * @param doubted an answer that no node seems to hold: everything is read anew
   */
  expectedAt(
    position: ChangePosition,
    limit: number,
    signal: AbortSignal,
    doubted?: ExpectedUserSet,
  ): Promise<ExpectedUserSet | undefined> {
    return this.gate.run(
      () =>
        asDatabase(this.database).snapshot(async (manager) => {
          const changes = await changedUsersAfter(manager, position, limit);
          if (changes.length >= limit) return undefined;
          const digests = await this.current(manager, doubted);
          const sum = digests.sum.copy();
          return { changes, source: digests, matches: (info) => isHeld(sum, digests, info) };
        }),
      signal,
    );
  }

  private async current(manager: EntityManager, doubted: ExpectedUserSet | undefined): Promise<Digests> {
    const revision = await currentRevision(manager);
    const known = this.digests;
    // Half-done work is none: a failure leaves nothing behind.
    this.digests = undefined;
    // A restored database has lower numbers than before.
    const usable = known && known !== doubted?.source && known.revision <= revision ? known : undefined;
    const digests = usable ?? (await readAll(manager));
    if (usable) await follow(manager, usable);
    digests.revision = revision;
    this.digests = digests;
    return digests;
  }
}

async function readAll(manager: EntityManager): Promise<Digests> {
  const digests: Digests = { revision: 0n, ofUsers: new Map(), sum: new UsersDigest() };
  for (let lastId = 0; ; ) {
    const page = await servedUsers(manager, lastId, PAGE_SIZE);
    for (const user of page) put(digests, user);
    const last = page.at(-1);
    if (!last || page.length < PAGE_SIZE) return digests;
    lastId = last.id;
  }
}

async function follow(manager: EntityManager, digests: Digests): Promise<void> {
  for (let position = after(digests.revision); ; ) {
    const page = await changedUsersAfter(manager, position, PAGE_SIZE);
    for (const user of page) put(digests, user);
    const last = page.at(-1);
    if (!last || page.length < PAGE_SIZE) return;
    position = { revision: last.revision, userId: last.id };
  }
}

function put({ ofUsers, sum }: Digests, user: ServedUser): void {
  const before = ofUsers.get(user.id);
  if (before) sum.removeDigest(before);
  ofUsers.delete(user.id);
  if (user.inboundTags.length === 0) return;
  const now = userDigest(nodeUser(user));
  sum.addDigest(now);
  ofUsers.set(user.id, now);
}

function isHeld(sum: UsersDigest, { ofUsers }: Digests, { usersDigest, refused }: BaseInfoResponse): boolean {
  if (usersDigest.length === 0) return true;
  const expected = sum.copy();
  for (const { email } of refused) {
    const digest = ofUsers.get(userIdOfNodeEmail(email) ?? 0);
    if (digest) expected.removeDigest(digest);
  }
  return Buffer.compare(expected.value, usersDigest) === 0;
}
