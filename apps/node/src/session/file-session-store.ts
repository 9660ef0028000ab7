import { setTimeout } from 'node:timers/promises';
import { Backend, lengthDelimitedField } from '@rampart/node-client';
import type { ServedUsers } from '../backend/backend.js';
import { Journal, type JournalOptions } from '../storage/journal.js';
import { BACKEND_USERS_FIELD, decodeBackend } from '../wire/raw-messages.js';
import { type RawUser, removalMessage, scanUser } from '../wire/raw-user.js';
import {
  MAX_REMOVED_USERS,
  type RemovedUser,
  type SavedSession,
  type SessionStore,
  type SessionTerms,
} from './session-store.js';

/** Maximum time to wait for a slow disk; the write continues after that. */
const MAX_DISK_WAIT_MS = 50;

const TERMS_RECORD = 1;
const USER_RECORD = 2;
/** More changed users than this are written as a new file. */
const MAX_APPENDED_USERS = 10_000;

export type FileSessionStoreOptions = Pick<JournalOptions, 'path' | 'onWarning' | 'retryMs' | 'forgetMs'>;

/**
 * The session in one file: its terms, then each user's message; changes are appended as records. Users are not kept in
 * memory here: a new file is written from those that the backend serves, at once where a full set has lost users, and within
 * minutes after other changes, so that removed users and former credentials do not stay on the disk.
 */
export class FileSessionStore implements SessionStore {
  private journal?: Journal;
  private terms?: SessionTerms;
  /** Removed users by lower-case e-mail, since the engine ignores case. */
  private readonly removed = new Map<string, RemovedUser>();
  /** Digest of the users in the file. */
  private writtenDigest?: string;
  /** Users for a snapshot in place of the served ones, such as loaded users who are not served yet. */
  private loadedUsers?: Iterable<RawUser>;

  constructor(
    private readonly options: FileSessionStoreOptions,
    private readonly served: () => Pick<ServedUsers, 'digest' | 'allUsers'>,
  ) {}

  get problem(): string | undefined {
    return this.journal?.problem;
  }

  async loadSession(): Promise<SavedSession | undefined> {
    const users = new Map<string, RawUser>();
    let records = 0;
    const { journal } = await Journal.open(
      {
        ...this.options,
        name: 'session',
        version: 1,
        title: 'the configuration with its users',
        snapshot: () => this.snapshot(),
      },
      (record) => {
        records += this.replayRecord(record, users);
      },
    );
    this.journal = journal;
    if (this.terms === undefined) return undefined;
    const saved = { ...this.terms, users: [...users.values()], removed: [...this.removed.values()] };
    const isLong = records > users.size + this.removed.size;
    if (isLong) journal.rewriteSoon();
    if (isLong || journal.problem !== undefined) this.loadedUsers = saved.users;
    return saved;
  }

  async saveSession(terms: SessionTerms, users: Iterable<RawUser>, changed?: readonly RawUser[]): Promise<void> {
    if (terms.revision !== this.terms?.revision) this.removed.clear();
    this.terms = terms;
    const digest = this.servedDigest();
    const news = digest === this.writtenDigest ? [] : changed;
    if (
      this.writtenDigest !== undefined &&
      this.problem === undefined &&
      news !== undefined &&
      news.length <= MAX_APPENDED_USERS &&
      news.every(({ present }) => present)
    ) {
      this.writtenDigest = digest;
      if (news.length > 0) this.journal?.rewriteSoon();
      await waitBriefly(this.journal?.appendRecords([encodeTerms(terms, news)]));
      return;
    }
    this.loadedUsers = users;
    const written = this.journal?.rewriteFromSnapshot();
    this.loadedUsers = undefined;
    this.writtenDigest = digest;
    await waitBriefly(written);
  }

  async saveUsers(users: readonly RawUser[]): Promise<void> {
    this.loadedUsers = undefined;
    this.writtenDigest = this.servedDigest();
    for (const user of users) this.trackRemoval(user);
    this.journal?.rewriteSoon();
    await waitBriefly(this.journal?.appendRecords(users.map(encodeUser)));
  }

  async deleteSession(): Promise<void> {
    this.terms = undefined;
    this.writtenDigest = undefined;
    this.loadedUsers = undefined;
    this.removed.clear();
    await this.journal?.clearFiles();
  }

  /** Resolves when pending writes are done; later calls store nothing. */
  async close(): Promise<void> {
    await this.journal?.close();
  }

  private servedDigest(): string {
    return Buffer.from(this.served().digest).toString('hex');
  }

  /** Returns the number of users in the record. */
  private replayRecord(record: Uint8Array, users: Map<string, RawUser>): number {
    const body = record.subarray(1);
    if (record[0] === TERMS_RECORD) {
      const { config: text, excludeInbounds, privateNetworks, keepAlive, revision, users: news } = decodeBackend(body);
      if (revision !== this.terms?.revision) this.removed.clear();
      const config = { text, excludedInbounds: excludeInbounds, allowedNetworks: privateNetworks?.allowed };
      this.terms = { config, keepAlive, revision };
      for (const user of news) this.replayUser(user, users);
      return news.length;
    }
    this.replayUser(scanUser(body), users);
    return 1;
  }

  private replayUser(user: RawUser, users: Map<string, RawUser>): void {
    this.trackRemoval(user);
    if (user.present) users.set(user.email.toLowerCase(), user);
    else users.delete(user.email.toLowerCase());
  }

  private trackRemoval({ email, revision, present }: RawUser): void {
    const key = email.toLowerCase();
    this.removed.delete(key);
    if (present || revision <= (this.terms?.revision ?? 0n)) return;
    this.removed.set(key, { email, revision });
    const [oldest] = this.removed.keys();
    if (oldest !== undefined && this.removed.size > MAX_REMOVED_USERS) this.removed.delete(oldest);
  }

  /** The current session as records. May be called during a change that the backend may still refuse in part. */
  private snapshot(): Iterable<Uint8Array> {
    if (this.terms === undefined) return [];
    if (this.loadedUsers === undefined) this.writtenDigest = this.servedDigest();
    return snapshotRecords(this.terms, [...this.removed.values()], this.loadedUsers ?? this.served().allUsers());
  }
}

function* snapshotRecords(
  terms: SessionTerms,
  removed: readonly RemovedUser[],
  users: Iterable<RawUser>,
): Generator<Uint8Array> {
  yield encodeTerms(terms);
  for (const { email, revision } of removed) yield encodeRemoval(email, revision);
  for (const { bytes } of users) yield encodeRecord(USER_RECORD, bytes);
}

/** Encodes the terms and changed users as one record, so that a crash leaves both or none. */
function encodeTerms({ config, keepAlive, revision }: SessionTerms, news: readonly RawUser[] = []): Uint8Array {
  const backend = Backend.fromPartial({
    ...{ config: config.text, excludeInbounds: [...config.excludedInbounds] },
    ...(config.allowedNetworks && { privateNetworks: { allowed: [...config.allowedNetworks] } }),
    ...{ keepAlive, revision },
  });
  const users = news.map(({ bytes }) =>
    lengthDelimitedField(BACKEND_USERS_FIELD, Buffer.from(bytes).toString('latin1')),
  );
  return encodeRecord(
    TERMS_RECORD,
    Buffer.concat([Backend.encode(backend).finish(), Buffer.from(users.join(''), 'latin1')]),
  );
}

function encodeUser({ email, revision, present, bytes }: RawUser): Uint8Array {
  return present ? encodeRecord(USER_RECORD, bytes) : encodeRemoval(email, revision);
}

/** Encodes a removal without credentials, even if the user's message contained some. */
function encodeRemoval(email: string, revision: bigint): Uint8Array {
  return encodeRecord(USER_RECORD, removalMessage(email, revision).bytes);
}

function encodeRecord(kind: number, body: Uint8Array): Uint8Array {
  const bytes = Buffer.allocUnsafe(1 + body.length);
  bytes[0] = kind;
  bytes.set(body, 1);
  return bytes;
}

async function waitBriefly(written: Promise<unknown> | undefined): Promise<void> {
  const patience = new AbortController();
  const enough = setTimeout(MAX_DISK_WAIT_MS, undefined, { signal: patience.signal, ref: false }).catch(
    () => undefined,
  );
  await Promise.race([written, enough]);
  patience.abort();
}
