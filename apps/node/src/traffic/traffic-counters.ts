import type { TrafficBatch } from '@rampart/node-client';
import type { TrafficBytes, TrafficGroup, TrafficReading } from '../backend/backend.js';
import { decodeRecord, encodeRecord, TRAFFIC_GROUPS, type TrafficRecord, type TrafficRow } from './traffic-records.js';
import { SEALED, TOTAL, TRAFFIC_COLUMNS, type TrafficColumn, TrafficTable, UNSEALED } from './traffic-table.js';

/**
 * Maximum number of names in one table; beyond it the oldest names lose their totals, as when an engine is restarted.
 */
const MAX_NAMES_PER_TABLE = 250_000;
const ROWS_PER_RECORD = 1000;
const NO_BYTES: TrafficBytes = { uplink: 0n, downlink: 0n };
const NO_COLUMNS = 0;
const columnBit = (account: TrafficColumn): number => 1 << account;

type TrafficTables = Record<TrafficGroup, TrafficTable>;

const newTables = (): TrafficTables => ({
  users: new TrafficTable(),
  inbounds: new TrafficTable(),
  outbounds: new TrafficTable(),
});

/**
 * All counted traffic: totals for GetStats and batches for CollectTraffic, which are independent. Each change returns
 * the record with which `replayRecord` repeats it.
 */
export class TrafficCounters {
  private tables = newTables();
  /** What has been counted of each run of an engine that may outlive this process, in the column TOTAL. */
  private runs = new Map<string, TrafficTables>();
  private batchNumber = 0n;
  private sealedAt?: bigint;
  /** Whether there is traffic to seal. */
  private unsealedTraffic = false;

  /** The id names the ledger; a new ledger starts with batch 1. */
  constructor(private id: string) {}

  get ledgerId(): string {
    return this.id;
  }

  /** Whether a batch is sealed and not acknowledged. */
  get hasSealedBatch(): boolean {
    return this.sealedAt !== undefined;
  }

  /** Whether there is traffic that is in no batch yet. */
  get hasUnsealedTraffic(): boolean {
    return this.unsealedTraffic;
  }

  /**
   * Adds a reading and returns its record; undefined when it has no bytes. Tags without traffic are added too, so that
   * they are listed.
   */
  addReading(reading: TrafficReading): Buffer | undefined {
    const rows: TrafficRow[] = [];
    for (const group of TRAFFIC_GROUPS) {
      for (const [name, { uplink, downlink }] of reading[group]) {
        if (uplink !== 0n || downlink !== 0n) {
          rows.push({ group: group, columns: columnBit(TOTAL) | columnBit(UNSEALED), name, uplink, downlink });
        }
      }
    }
    const record = rows.length === 0 ? undefined : this.applyAndEncode(rowsRecord(rows, this.knownRun(reading.run)));
    for (const group of ['inbounds', 'outbounds'] as const) {
      for (const tag of reading[group].keys()) this.tables[group].addBytes(tag, TOTAL, NO_BYTES);
    }
    return record;
  }

  /** @param shown bytes that its counters show already, which are counted nowhere */
  beginRun(run: string, shown?: TrafficReading): Buffer[] {
    const rows = TRAFFIC_GROUPS.flatMap((group) =>
      Array.from(shown?.[group] ?? [], ([name, bytes]) => ({ group, columns: NO_COLUMNS, name, ...bytes })),
    );
    const records: TrafficRecord[] = Array.from(inParts(rows), (part) => ({ kind: 'runRows', run, rows: part }));
    return [{ kind: 'runBegan', run } as const, ...records].map((record) => this.applyAndEncode(record));
  }

  endRun(run: string): Buffer {
    return this.applyAndEncode({ kind: 'runEnded', run });
  }

  /** Ids of runs that have begun and not ended. */
  get openRuns(): string[] {
    return [...this.runs.keys()];
  }

  /** What has been counted of a run; undefined when it is not open. */
  countedIn(run: string): TrafficReading | undefined {
    const tables = this.runs.get(run);
    if (tables === undefined) return undefined;
    const bytes = (group: TrafficGroup) => new Map(tables[group].nonZeroEntries(TOTAL));
    return { run, users: bytes('users'), inbounds: bytes('inbounds'), outbounds: bytes('outbounds') };
  }

  sealBatch(at: bigint): Buffer {
    return this.applyAndEncode({ kind: 'seal', at });
  }

  isSealedBatch(ledger: string, number: bigint): boolean {
    return this.hasSealedBatch && ledger === this.id && number === this.batchNumber;
  }

  removeSealedBatch(): Buffer {
    return this.applyAndEncode({ kind: 'acknowledge' });
  }

  /** Resets the totals of all names of a group, or of one name. */
  resetTotals(group: TrafficGroup, name?: string): Buffer {
    return this.applyAndEncode({ kind: 'reset', group, ...(name === undefined ? {} : { name }) });
  }

  /** Totals of a group by name: users with traffic, or all known tags. */
  *totals(group: TrafficGroup): Generator<readonly [name: string, bytes: TrafficBytes]> {
    const table = this.tables[group];
    if (group === 'users') yield* table.nonZeroEntries(TOTAL);
    else for (const name of table.names()) yield [name, table.bytesOf(name, TOTAL)];
  }

  /** The total of one name; undefined when `totals` would not list it. */
  totalOf(group: TrafficGroup, name: string): TrafficBytes | undefined {
    const table = this.tables[group];
    const bytes = table.bytesOf(name, TOTAL);
    const shown = group === 'users' ? bytes.uplink !== 0n || bytes.downlink !== 0n : table.hasName(name);
    return shown ? bytes : undefined;
  }

  /** The sealed batch; number 0 when there is none. */
  currentBatch(now: bigint): TrafficBatch {
    const { users, inbounds, outbounds } = this.tables;
    const tags = (table: TrafficTable) =>
      Array.from(table.nonZeroEntries(SEALED), ([tag, bytes]) => ({ tag, ...bytes }));
    return {
      ledger: this.id,
      number: this.hasSealedBatch ? this.batchNumber : 0n,
      sealedAt: this.sealedAt ?? now,
      users: Array.from(users.nonZeroEntries(SEALED), ([email, bytes]) => ({ email, ...bytes })),
      inbounds: tags(inbounds),
      outbounds: tags(outbounds),
    };
  }

  /** Removes names without traffic in any column. */
  forgetIdleNames(): void {
    for (const group of TRAFFIC_GROUPS) this.tables[group].forgetIdleNames(MAX_NAMES_PER_TABLE);
  }

  /** Removes the totals of users who are not kept and whose traffic is all acknowledged, as `forgetNames` of a table. */
  forgetUsers(isKept: (email: string) => boolean): Generator<boolean, void> {
    return this.tables.users.forgetNames(isKept);
  }

  /** Removes everything and begins another ledger. */
  beginLedger(id: string): void {
    this.id = id;
    this.tables = newTables();
    this.runs.clear();
    this.batchNumber = 0n;
    this.sealedAt = undefined;
    this.unsealedTraffic = false;
  }

  /** Returns a copy of the current state as records, so that later changes do not appear in it. */
  snapshot(): Iterable<Buffer> {
    const head: TrafficRecord = { kind: 'head', ledger: this.id, number: this.batchNumber, sealedAt: this.sealedAt };
    return snapshotRecords(
      head,
      copyOf(this.tables),
      [...this.runs].map(([run, tables]) => [run, copyOf(tables)] as const),
    );
  }

  /** @throws RangeError when the bytes are not a record */
  replayRecord(bytes: Uint8Array): void {
    this.apply(decodeRecord(bytes));
  }

  private applyAndEncode(record: TrafficRecord): Buffer {
    this.apply(record);
    return encodeRecord(record);
  }

  private apply(record: TrafficRecord): void {
    switch (record.kind) {
      case 'head':
        this.id = record.ledger;
        this.batchNumber = record.number;
        this.sealedAt = record.sealedAt;
        return;
      case 'rows':
        for (const row of record.rows) this.addRow(row);
        return;
      case 'runBegan':
        this.runs.set(record.run, newTables());
        return;
      case 'runRows':
        for (const row of record.rows) {
          this.addRow(row);
          this.runs.get(record.run)?.[row.group].addBytes(row.name, TOTAL, row);
        }
        return;
      case 'runEnded':
        this.runs.delete(record.run);
        return;
      case 'seal':
        for (const group of TRAFFIC_GROUPS) this.tables[group].moveColumn(UNSEALED, SEALED);
        this.batchNumber += 1n;
        this.sealedAt = record.at;
        this.unsealedTraffic = false;
        return;
      case 'acknowledge':
        for (const group of TRAFFIC_GROUPS) this.tables[group].clearColumn(SEALED);
        this.sealedAt = undefined;
        this.forgetIdleNames();
        return;
      case 'reset':
        this.tables[record.group].clearColumn(TOTAL, record.name);
    }
  }

  private knownRun(run: string | undefined): string | undefined {
    return run !== undefined && this.runs.has(run) ? run : undefined;
  }

  private addRow(row: TrafficRow): void {
    if (row.columns === NO_COLUMNS) return;
    const table = this.tables[row.group];
    for (const account of TRAFFIC_COLUMNS) if (row.columns & columnBit(account)) table.addBytes(row.name, account, row);
    if (row.columns & columnBit(UNSEALED)) this.unsealedTraffic = true;
  }
}

const copyOf = (tables: TrafficTables): TrafficTables => ({
  users: tables.users.copyTable(),
  inbounds: tables.inbounds.copyTable(),
  outbounds: tables.outbounds.copyTable(),
});

function rowsRecord(rows: readonly TrafficRow[], run: string | undefined): TrafficRecord {
  return run === undefined ? { kind: 'rows', rows } : { kind: 'runRows', run, rows };
}

/** The state as records. Names keep their order, so that a batch looks the same after a restart. */
function* snapshotRecords(
  head: TrafficRecord,
  tables: TrafficTables,
  runs: readonly (readonly [run: string, tables: TrafficTables])[],
): Generator<Buffer> {
  yield encodeRecord(head);
  for (const rows of inParts(columnRows(tables))) yield encodeRecord({ kind: 'rows', rows });
  for (const [run, counted] of runs) {
    yield encodeRecord({ kind: 'runBegan', run });
    for (const rows of inParts(runRows(counted))) yield encodeRecord({ kind: 'runRows', run, rows });
  }
}

function* inParts(all: Iterable<TrafficRow>): Generator<TrafficRow[]> {
  let rows: TrafficRow[] = [];
  for (const row of all) {
    rows.push(row);
    if (rows.length < ROWS_PER_RECORD) continue;
    yield rows;
    rows = [];
  }
  if (rows.length > 0) yield rows;
}

function* columnRows(tables: TrafficTables): Generator<TrafficRow> {
  for (const group of TRAFFIC_GROUPS) {
    const table = tables[group];
    for (const name of table.names()) {
      for (const account of TRAFFIC_COLUMNS) {
        const { uplink, downlink } = table.bytesOf(name, account);
        if (uplink !== 0n || downlink !== 0n) yield { group, columns: columnBit(account), name, uplink, downlink };
      }
    }
  }
}

function* runRows(tables: TrafficTables): Generator<TrafficRow> {
  for (const group of TRAFFIC_GROUPS) {
    for (const [name, bytes] of tables[group].nonZeroEntries(TOTAL))
      yield { group, columns: NO_COLUMNS, name, ...bytes };
  }
}
