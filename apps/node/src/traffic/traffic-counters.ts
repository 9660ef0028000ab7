import type { TrafficBatch } from '@rampart/node-client';
import type { Bytes, TrafficReading } from '../backend/backend.js';
import {
  BOOKS,
  type BookName,
  decodeRecord,
  encodeRecord,
  type TrafficRecord,
  type TrafficRow,
} from './traffic-records.js';
import { ACCOUNTS, type Account, OPEN, SEALED, TOTAL, TrafficTable } from './traffic-table.js';

/** Names in one book; beyond, those longest known lose their totals, as when an engine starts anew. */
const MAX_NAMES = 250_000;
const ROWS_PER_RECORD = 1000;
const NOTHING: Bytes = { uplink: 0n, downlink: 0n };
const bit = (account: Account): number => 1 << account;

/**
 * Everything that was counted: totals for GetStats and the batches of CollectTraffic, which know nothing of each other.
 * Each change answers the record by which `replay` repeats it.
 */
export class TrafficBook {
  private tables = { users: new TrafficTable(), inbounds: new TrafficTable(), outbounds: new TrafficTable() };
  private number = 0n;
  private sealedAt?: bigint;
  /** Whether there is anything to seal. */
  private open = false;

  /** The id names the ledger: after it is lost, another one starts at number 1. */
  constructor(private id: string) {}

  get ledger(): string {
    return this.id;
  }

  /** A batch is sealed and not acknowledged. */
  get sealed(): boolean {
    return this.sealedAt !== undefined;
  }

  /** There is traffic that is in no batch yet. */
  get unsealed(): boolean {
    return this.open;
  }

  /** Nothing to record when nothing was counted; tags without a byte are known all the same: they are there, and idle. */
  add(reading: TrafficReading): Buffer | undefined {
    const rows: TrafficRow[] = [];
    for (const book of BOOKS) {
      for (const [name, { uplink, downlink }] of reading[book]) {
        if (uplink !== 0n || downlink !== 0n) {
          rows.push({ book, accounts: bit(TOTAL) | bit(OPEN), name, uplink, downlink });
        }
      }
    }
    const record = rows.length === 0 ? undefined : this.did({ kind: 'rows', rows });
    for (const book of ['inbounds', 'outbounds'] as const) {
      for (const tag of reading[book].keys()) this.tables[book].add(tag, TOTAL, NOTHING);
    }
    return record;
  }

  seal(at: bigint): Buffer {
    return this.did({ kind: 'seal', at });
  }

  acknowledges(ledger: string, number: bigint): boolean {
    return this.sealed && ledger === this.id && number === this.number;
  }

  acknowledge(): Buffer {
    return this.did({ kind: 'acknowledge' });
  }

  /** The totals of all names of a book, or of one. */
  reset(book: BookName, name?: string): Buffer {
    return this.did({ kind: 'reset', book, ...(name === undefined ? {} : { name }) });
  }

  /** Users with bytes; all tags that are known. */
  *totals(book: BookName): Generator<readonly [name: string, bytes: Bytes]> {
    const table = this.tables[book];
    if (book === 'users') yield* table.entries(TOTAL);
    else for (const name of table.names()) yield [name, table.get(name, TOTAL)];
  }

  /** The total of one name; undefined when it would not be among all. */
  total(book: BookName, name: string): Bytes | undefined {
    const table = this.tables[book];
    const bytes = table.get(name, TOTAL);
    const shown = book === 'users' ? bytes.uplink !== 0n || bytes.downlink !== 0n : table.has(name);
    return shown ? bytes : undefined;
  }

  /** The sealed batch; number 0 when there is none. */
  batch(now: bigint): TrafficBatch {
    const { users, inbounds, outbounds } = this.tables;
    const tags = (table: TrafficTable) => Array.from(table.entries(SEALED), ([tag, bytes]) => ({ tag, ...bytes }));
    return {
      ledger: this.id,
      number: this.sealed ? this.number : 0n,
      sealedAt: this.sealedAt ?? now,
      users: Array.from(users.entries(SEALED), ([email, bytes]) => ({ email, ...bytes })),
      inbounds: tags(inbounds),
      outbounds: tags(outbounds),
    };
  }

  /** Forgets names that have nothing left to tell. */
  tidy(): void {
    for (const book of BOOKS) this.tables[book].tidy(MAX_NAMES);
  }

  /** Forgets everything and begins another ledger. */
  clear(id: string): void {
    this.id = id;
    this.tables = { users: new TrafficTable(), inbounds: new TrafficTable(), outbounds: new TrafficTable() };
    this.number = 0n;
    this.sealedAt = undefined;
    this.open = false;
  }

  /** All of it as it is now, to be read while it changes. */
  snapshot(): Iterable<Buffer> {
    const tables = BOOKS.map((book) => [book, this.tables[book].copy()] as const);
    return snapshotRecords({ kind: 'head', ledger: this.id, number: this.number, sealedAt: this.sealedAt }, tables);
  }

  /** @throws when the bytes are no record */
  replay(bytes: Uint8Array): void {
    this.apply(decodeRecord(bytes));
  }

  private did(record: TrafficRecord): Buffer {
    this.apply(record);
    return encodeRecord(record);
  }

  private apply(record: TrafficRecord): void {
    switch (record.kind) {
      case 'head':
        this.id = record.ledger;
        this.number = record.number;
        this.sealedAt = record.sealedAt;
        return;
      case 'rows':
        for (const row of record.rows) this.addRow(row);
        return;
      case 'seal':
        for (const book of BOOKS) this.tables[book].move(OPEN, SEALED);
        this.number += 1n;
        this.sealedAt = record.at;
        this.open = false;
        return;
      case 'acknowledge':
        for (const book of BOOKS) this.tables[book].clear(SEALED);
        this.sealedAt = undefined;
        this.tidy();
        return;
      case 'reset':
        this.tables[record.book].clear(TOTAL, record.name);
    }
  }

  private addRow(row: TrafficRow): void {
    const table = this.tables[row.book];
    for (const account of ACCOUNTS) if (row.accounts & bit(account)) table.add(row.name, account, row);
    if (row.accounts & bit(OPEN)) this.open = true;
  }
}

/** Names stay in their order: a batch looks the same after a restart. */
function* snapshotRecords(
  head: TrafficRecord,
  tables: readonly (readonly [BookName, TrafficTable])[],
): Generator<Buffer> {
  yield encodeRecord(head);
  let rows: TrafficRow[] = [];
  for (const row of snapshotRows(tables)) {
    rows.push(row);
    if (rows.length < ROWS_PER_RECORD) continue;
    yield encodeRecord({ kind: 'rows', rows });
    rows = [];
  }
  if (rows.length > 0) yield encodeRecord({ kind: 'rows', rows });
}

function* snapshotRows(tables: readonly (readonly [BookName, TrafficTable])[]): Generator<TrafficRow> {
  for (const [book, table] of tables) {
    for (const name of table.names()) {
      for (const account of ACCOUNTS) {
        const { uplink, downlink } = table.get(name, account);
        if (uplink !== 0n || downlink !== 0n) yield { book, accounts: bit(account), name, uplink, downlink };
      }
    }
  }
}
