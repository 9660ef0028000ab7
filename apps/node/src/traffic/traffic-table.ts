import type { Bytes } from '../backend/backend.js';

/** What is counted for each name: since its last reset, not sealed yet, and in the sealed batch. */
export const TOTAL = 0;
export const OPEN = 1;
export const SEALED = 2;
export const ACCOUNTS = [TOTAL, OPEN, SEALED] as const;
export type Account = (typeof ACCOUNTS)[number];

/** Up and down for each account. */
const WIDTH = ACCOUNTS.length * 2;
const FIRST_ROWS = 64;

/**
 * Bytes by name, in three accounts side by side: a name is kept once. 64-bit integers, so that nothing is rounded, however
 * much an outbound carries.
 */
export class TrafficTable {
  private cells = new BigUint64Array(FIRST_ROWS * WIDTH);
  private readonly rows = new Map<string, number>();
  private readonly free: number[] = [];
  private end = 0;

  get size(): number {
    return this.rows.size;
  }

  names(): IterableIterator<string> {
    return this.rows.keys();
  }

  has(name: string): boolean {
    return this.rows.has(name);
  }

  get(name: string, account: Account): Bytes {
    const row = this.rows.get(name);
    if (row === undefined) return { uplink: 0n, downlink: 0n };
    const cell = row * WIDTH + account * 2;
    return { uplink: this.cells[cell] ?? 0n, downlink: this.cells[cell + 1] ?? 0n };
  }

  /** A name that is not known gets a row, with nothing in it when nothing is added. */
  add(name: string, account: Account, { uplink, downlink }: Bytes): void {
    const cell = this.rowOf(name) * WIDTH + account * 2;
    this.cells[cell] = (this.cells[cell] ?? 0n) + uplink;
    this.cells[cell + 1] = (this.cells[cell + 1] ?? 0n) + downlink;
  }

  /** Empties an account, of everybody or of one. */
  clear(account: Account, name?: string): void {
    for (const row of this.rowsOf(name)) this.cells.fill(0n, row * WIDTH + account * 2, row * WIDTH + account * 2 + 2);
  }

  /** Moves everybody's bytes into an account that is empty. */
  move(from: Account, to: Account): void {
    for (const row of this.rows.values()) {
      const cell = row * WIDTH + from * 2;
      this.cells.copyWithin(row * WIDTH + to * 2, cell, cell + 2);
      this.cells.fill(0n, cell, cell + 2);
    }
  }

  /** Names with bytes in an account. */
  *entries(account: Account): Generator<[name: string, bytes: Bytes]> {
    for (const [name, row] of this.rows) {
      const cell = row * WIDTH + account * 2;
      const uplink = this.cells[cell] ?? 0n;
      const downlink = this.cells[cell + 1] ?? 0n;
      if (uplink !== 0n || downlink !== 0n) yield [name, { uplink, downlink }];
    }
  }

  /** Forgets names with nothing in any account, and of more than `limit` names those that were known longest. */
  tidy(limit: number): void {
    let surplus = this.rows.size - limit;
    for (const [name, row] of this.rows) {
      if (!this.isEmpty(row, ACCOUNTS) && (surplus <= 0 || !this.isEmpty(row, [OPEN, SEALED]))) continue;
      this.cells.fill(0n, row * WIDTH, (row + 1) * WIDTH);
      this.rows.delete(name);
      this.free.push(row);
      surplus -= 1;
    }
  }

  /** As it is now, to be read while it changes. */
  copy(): TrafficTable {
    const copy = new TrafficTable();
    copy.cells = this.cells.slice();
    for (const [name, row] of this.rows) copy.rows.set(name, row);
    return copy;
  }

  private rowsOf(name?: string): Iterable<number> {
    if (name === undefined) return this.rows.values();
    const row = this.rows.get(name);
    return row === undefined ? [] : [row];
  }

  private rowOf(name: string): number {
    const known = this.rows.get(name);
    if (known !== undefined) return known;
    const row = this.free.pop() ?? this.end++;
    if (this.end * WIDTH > this.cells.length) {
      const larger = new BigUint64Array(this.cells.length * 2);
      larger.set(this.cells);
      this.cells = larger;
    }
    this.rows.set(name, row);
    return row;
  }

  private isEmpty(row: number, accounts: readonly Account[]): boolean {
    return accounts.every((account) => {
      const cell = row * WIDTH + account * 2;
      return this.cells[cell] === 0n && this.cells[cell + 1] === 0n;
    });
  }
}
