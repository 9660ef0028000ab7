import { setTimeout } from 'node:timers/promises';
import { Backend, lengthDelimitedField } from '@rampart/node-client';
import type { ServedUsers } from '../backend/backend.js';
import { Journal, type JournalOptions } from '../storage/journal.js';
import { BACKEND_USERS, decodeBackend } from '../wire/raw-messages.js';
import { type RawUser, removalOf, scanUser } from '../wire/raw-user.js';
import {
  MAX_REMOVED,
  type RemovedUser,
  type SavedSession,
  type SessionStore,
  type SessionTerms,
} from './session-store.js';

/** A slow disk holds nobody up: what it has not taken by then, it takes later. */
const PATIENCE_MS = 50;

const TERMS = 1;
const USER = 2;
/** More than these are written as a new file. */
const MAX_NEWS = 10_000;

export type FileSessionStoreOptions = Pick<JournalOptions, 'path' | 'onWarning' | 'retryMs'>;

/**
 * The session in one file: its terms, then each user as it came; a change is a record at the end. The users themselves are
 * not kept here: a whole new file is written from the backend's.
 */
export class FileSessionStore implements SessionStore {
  private journal?: Journal;
  private terms?: SessionTerms;
  /** E-mails are one user whatever their case, as for the engine. */
  private readonly removed = new Map<string, RemovedUser>();
  /** Of the users in the file. */
  private digest?: string;
  /** What `load` read, as long as the file behind it could not be continued. */
  private loaded?: Iterable<RawUser>;

  constructor(
    private readonly options: FileSessionStoreOptions,
    private readonly served: () => Pick<ServedUsers, 'digest' | 'all'>,
  ) {}

  get problem(): string | undefined {
    return this.journal?.problem;
  }

  async load(): Promise<SavedSession | undefined> {
    const users = new Map<string, RawUser>();
    const { journal } = await Journal.open(
      {
        ...this.options,
        name: 'session',
        version: 1,
        title: 'the configuration with its users',
        snapshot: () => this.snapshot(),
      },
      (record) => this.replay(record, users),
    );
    this.journal = journal;
    if (this.terms === undefined) return undefined;
    const saved = { ...this.terms, users: [...users.values()], removed: [...this.removed.values()] };
    if (journal.problem !== undefined) this.loaded = saved.users;
    return saved;
  }

  async started(terms: SessionTerms, users: Iterable<RawUser>, changed?: readonly RawUser[]): Promise<void> {
    if (terms.revision !== this.terms?.revision) this.removed.clear();
    this.terms = terms;
    const digest = this.servedDigest();
    const news = digest === this.digest ? [] : changed;
    if (this.digest !== undefined && this.problem === undefined && news !== undefined && news.length <= MAX_NEWS) {
      this.digest = digest;
      await patiently(this.journal?.append([termsRecord(terms, news)]));
      return;
    }
    this.loaded = users;
    const written = this.journal?.replace();
    this.loaded = undefined;
    this.digest = digest;
    await patiently(written);
  }

  async changed(users: readonly RawUser[]): Promise<void> {
    this.loaded = undefined;
    this.digest = this.servedDigest();
    for (const user of users) this.note(user);
    await patiently(this.journal?.append(users.map(userRecord)));
  }

  async stopped(): Promise<void> {
    this.terms = undefined;
    this.digest = undefined;
    this.loaded = undefined;
    this.removed.clear();
    await this.journal?.clear();
  }

  /** Waits for the disk. Nothing is stored any more. */
  async close(): Promise<void> {
    await this.journal?.close();
  }

  private servedDigest(): string {
    return Buffer.from(this.served().digest).toString('hex');
  }

  private replay(record: Uint8Array, users: Map<string, RawUser>): void {
    const body = record.subarray(1);
    if (record[0] === TERMS) {
      const { config, excludeInbounds, keepAlive, revision, users: news } = decodeBackend(body);
      if (revision !== this.terms?.revision) this.removed.clear();
      this.terms = { config: { text: config, excludedInbounds: excludeInbounds }, keepAlive, revision };
      for (const user of news) this.replayUser(user, users);
    } else this.replayUser(scanUser(body), users);
  }

  private replayUser(user: RawUser, users: Map<string, RawUser>): void {
    this.note(user);
    if (user.present) users.set(user.email.toLowerCase(), user);
    else users.delete(user.email.toLowerCase());
  }

  private note({ email, revision, present }: RawUser): void {
    const key = email.toLowerCase();
    this.removed.delete(key);
    if (present || revision <= (this.terms?.revision ?? 0n)) return;
    this.removed.set(key, { email, revision });
    const [oldest] = this.removed.keys();
    if (oldest !== undefined && this.removed.size > MAX_REMOVED) this.removed.delete(oldest);
  }

  /** It is also asked for in the middle of a change, of which the backend may yet refuse a part. */
  private snapshot(): Iterable<Uint8Array> {
    if (this.terms === undefined) return [];
    if (this.loaded === undefined) this.digest = this.servedDigest();
    return snapshotRecords(this.terms, [...this.removed.values()], this.loaded ?? this.served().all());
  }
}

function* snapshotRecords(
  terms: SessionTerms,
  removed: readonly RemovedUser[],
  users: Iterable<RawUser>,
): Generator<Uint8Array> {
  yield termsRecord(terms);
  for (const { email, revision } of removed) yield removalRecord(email, revision);
  for (const { bytes } of users) yield record(USER, bytes);
}

/** Terms, and what changes with them: one record, so that a crash leaves both or none. */
function termsRecord({ config, keepAlive, revision }: SessionTerms, news: readonly RawUser[] = []): Uint8Array {
  const backend = Backend.fromPartial({
    ...{ config: config.text, excludeInbounds: [...config.excludedInbounds] },
    ...{ keepAlive, revision },
  });
  const users = news.map(({ bytes }) => lengthDelimitedField(BACKEND_USERS, Buffer.from(bytes).toString('latin1')));
  return record(TERMS, Buffer.concat([Backend.encode(backend).finish(), Buffer.from(users.join(''), 'latin1')]));
}

function userRecord({ email, revision, present, bytes }: RawUser): Uint8Array {
  return present ? record(USER, bytes) : removalRecord(email, revision);
}

/** Whatever the removal came with, no secret of somebody who is gone is kept. */
function removalRecord(email: string, revision: bigint): Uint8Array {
  return record(USER, removalOf(email, revision).bytes);
}

function record(kind: number, body: Uint8Array): Uint8Array {
  const bytes = Buffer.allocUnsafe(1 + body.length);
  bytes[0] = kind;
  bytes.set(body, 1);
  return bytes;
}

async function patiently(written: Promise<unknown> | undefined): Promise<void> {
  const patience = new AbortController();
  const enough = setTimeout(PATIENCE_MS, undefined, { signal: patience.signal, ref: false }).catch(() => undefined);
  await Promise.race([written, enough]);
  patience.abort();
}
