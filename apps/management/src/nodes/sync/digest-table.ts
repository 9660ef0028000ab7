import { DIGEST_BYTES } from '@rampart/node-client';

const INITIAL_ROWS = 64;

/** Digests by user id, in some 45 bytes for each: three objects for each of 100,000 users would take four times as much. */
export class DigestTable {
  private readonly rows = new Map<number, number>();
  private readonly freeRows: number[] = [];
  private cells = new Uint8Array(INITIAL_ROWS * DIGEST_BYTES);

  get size(): number {
    return this.rows.size;
  }

  /** The digest of a user, which is valid until the next change of the table. */
  get(userId: number): Uint8Array | undefined {
    const row = this.rows.get(userId);
    return row === undefined ? undefined : this.cells.subarray(row * DIGEST_BYTES, (row + 1) * DIGEST_BYTES);
  }

  set(userId: number, digest: Uint8Array): void {
    const row = this.rows.get(userId) ?? this.freeRows.pop() ?? this.rows.size;
    if ((row + 1) * DIGEST_BYTES > this.cells.length) {
      const larger = new Uint8Array(this.cells.length * 2);
      larger.set(this.cells);
      this.cells = larger;
    }
    this.cells.set(digest, row * DIGEST_BYTES);
    this.rows.set(userId, row);
  }

  delete(userId: number): void {
    const row = this.rows.get(userId);
    if (row === undefined) return;
    this.rows.delete(userId);
    this.freeRows.push(row);
  }
}
