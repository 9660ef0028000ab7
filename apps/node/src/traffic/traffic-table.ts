import type { TrafficBytes } from '../backend/backend.js';

/** The columns of each name: traffic since the last reset, traffic in no batch yet, and traffic in the sealed batch. */
export const TOTAL = 0;
export const UNSEALED = 1;
export const SEALED = 2;
export const TRAFFIC_COLUMNS = [TOTAL, UNSEALED, SEALED] as const;
export type TrafficColumn = (typeof TRAFFIC_COLUMNS)[number];

/** Each column has an uplink and a downlink cell. */
const CELLS_PER_ROW = TRAFFIC_COLUMNS.length * 2;
const INITIAL_ROWS = 64;

/** Bytes by name in three columns. The cells are 64-bit integers, so that no count is rounded. */
export class TrafficTable {
  private cells = new BigUint64Array(INITIAL_ROWS * CELLS_PER_ROW);
  private readonly rows = new Map<string, number>();
  private readonly freeRows: number[] = [];
  private rowCount = 0;

  get size(): number {
    return this.rows.size;
  }

  names(): IterableIterator<string> {
    return this.rows.keys();
  }

  hasName(name: string): boolean {
    return this.rows.has(name);
  }

  bytesOf(name: string, account: TrafficColumn): TrafficBytes {
    const row = this.rows.get(name);
    if (row === undefined) return { uplink: 0n, downlink: 0n };
    const cell = row * CELLS_PER_ROW + account * 2;
    return { uplink: this.cells[cell] ?? 0n, downlink: this.cells[cell + 1] ?? 0n };
  }

  /** Adds bytes to a column; an unknown name gets a row, even when nothing is added. */
  addBytes(name: string, account: TrafficColumn, { uplink, downlink }: TrafficBytes): void {
    const cell = this.rowOf(name) * CELLS_PER_ROW + account * 2;
    this.cells[cell] = (this.cells[cell] ?? 0n) + uplink;
    this.cells[cell + 1] = (this.cells[cell + 1] ?? 0n) + downlink;
  }

  /** Resets a column, of all names or of one. */
  clearColumn(account: TrafficColumn, name?: string): void {
    for (const row of this.rowsOf(name))
      this.cells.fill(0n, row * CELLS_PER_ROW + account * 2, row * CELLS_PER_ROW + account * 2 + 2);
  }

  /** Moves all bytes of a column into an empty one. */
  moveColumn(from: TrafficColumn, to: TrafficColumn): void {
    for (const row of this.rows.values()) {
      const cell = row * CELLS_PER_ROW + from * 2;
      this.cells.copyWithin(row * CELLS_PER_ROW + to * 2, cell, cell + 2);
      this.cells.fill(0n, cell, cell + 2);
    }
  }

  /** Names with bytes in a column. */
  *nonZeroEntries(account: TrafficColumn): Generator<[name: string, bytes: TrafficBytes]> {
    for (const [name, row] of this.rows) {
      const cell = row * CELLS_PER_ROW + account * 2;
      const uplink = this.cells[cell] ?? 0n;
      const downlink = this.cells[cell + 1] ?? 0n;
      if (uplink !== 0n || downlink !== 0n) yield [name, { uplink, downlink }];
    }
  }

  /**
   * Removes names without bytes in any column. Beyond `limit` names, it also removes the oldest ones whose bytes are
   * all acknowledged, with their totals.
   */
  forgetIdleNames(limit: number): void {
    let surplus = this.rows.size - limit;
    for (const [name, row] of this.rows) {
      if (!this.isEmpty(row, TRAFFIC_COLUMNS) && (surplus <= 0 || !this.isEmpty(row, [UNSEALED, SEALED]))) continue;
      this.removeRow(name, row);
      surplus -= 1;
    }
  }

  /**
   * Looks at one name after another, and removes those whose bytes are all acknowledged, with their totals, unless they are
   * kept. Other changes may come between two names; each name yields whether it was removed.
   */
  *forgetNames(isKept: (name: string) => boolean): Generator<boolean, void> {
    for (const [name, row] of this.rows) {
      const isGone = this.isEmpty(row, [UNSEALED, SEALED]) && !isKept(name);
      if (isGone) this.removeRow(name, row);
      yield isGone;
    }
  }

  /** A copy that does not change with the original. */
  copyTable(): TrafficTable {
    const copy = new TrafficTable();
    copy.cells = this.cells.slice();
    for (const [name, row] of this.rows) copy.rows.set(name, row);
    return copy;
  }

  private removeRow(name: string, row: number): void {
    this.cells.fill(0n, row * CELLS_PER_ROW, (row + 1) * CELLS_PER_ROW);
    this.rows.delete(name);
    this.freeRows.push(row);
  }

  private rowsOf(name?: string): Iterable<number> {
    if (name === undefined) return this.rows.values();
    const row = this.rows.get(name);
    return row === undefined ? [] : [row];
  }

  private rowOf(name: string): number {
    const known = this.rows.get(name);
    if (known !== undefined) return known;
    const row = this.freeRows.pop() ?? this.rowCount++;
    if (this.rowCount * CELLS_PER_ROW > this.cells.length) {
      const larger = new BigUint64Array(this.cells.length * 2);
      larger.set(this.cells);
      this.cells = larger;
    }
    this.rows.set(name, row);
    return row;
  }

  private isEmpty(row: number, accounts: readonly TrafficColumn[]): boolean {
    return accounts.every((account) => {
      const cell = row * CELLS_PER_ROW + account * 2;
      return this.cells[cell] === 0n && this.cells[cell + 1] === 0n;
    });
  }
}
