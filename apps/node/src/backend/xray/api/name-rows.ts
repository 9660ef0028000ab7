const INITIAL_ROWS = 64;
const INITIAL_BYTES = 1024;

/**
 * Gives each name a row number: 0, 1, 2 and so on. It finds a name by the bytes of a message without making a text of them, as
 * most of the 200,000 names in an answer of the engine are not needed as texts.
 */
export class NameRows {
  private rows = 0;
  /** Row + 1 of the name at each place, 0 where there is none; a name stands at the first free place from its hash on. */
  private places = new Uint32Array(INITIAL_ROWS * 2);
  private hashes = new Uint32Array(INITIAL_ROWS);
  /** All names, one after another. */
  private bytes = Buffer.alloc(INITIAL_BYTES);
  /** Where the name of each row ends in `bytes`. */
  private ends = new Uint32Array(INITIAL_ROWS);

  /** The row of the name in `bytes` from `start` to `end`; a new one where the name is new. */
  rowOf(bytes: Uint8Array, start: number, end: number): number {
    const hash = hashOf(bytes, start, end);
    const mask = this.places.length - 1;
    let place = hash & mask;
    for (; this.places[place] !== 0; place = (place + 1) & mask) {
      const row = this.places[place]! - 1;
      if (this.hashes[row] === hash && this.hasName(row, bytes, start, end)) return row;
    }
    this.places[place] = this.rows + 1;
    return this.addRow(hash, bytes, start, end);
  }

  private hasName(row: number, bytes: Uint8Array, start: number, end: number): boolean {
    const ownStart = row === 0 ? 0 : this.ends[row - 1]!;
    if (this.ends[row]! - ownStart !== end - start) return false;
    for (let index = start; index < end; index += 1) {
      if (this.bytes[ownStart + index - start] !== bytes[index]) return false;
    }
    return true;
  }

  private addRow(hash: number, bytes: Uint8Array, start: number, end: number): number {
    const row = this.rows;
    const ownStart = row === 0 ? 0 : this.ends[row - 1]!;
    const ownEnd = ownStart + end - start;
    if (ownEnd > this.bytes.length) this.bytes = Buffer.concat([this.bytes], Math.max(ownEnd, this.bytes.length * 2));
    this.bytes.set(bytes.subarray(start, end), ownStart);
    this.hashes[row] = hash;
    this.ends[row] = ownEnd;
    this.rows += 1;
    if (this.rows === this.hashes.length) this.grow();
    return row;
  }

  private grow(): void {
    this.hashes = twice(this.hashes);
    this.ends = twice(this.ends);
    this.places = new Uint32Array(this.hashes.length * 2);
    const mask = this.places.length - 1;
    for (let row = 0; row < this.rows; row += 1) {
      let place = this.hashes[row]! & mask;
      while (this.places[place] !== 0) place = (place + 1) & mask;
      this.places[place] = row + 1;
    }
  }
}

function twice(numbers: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(numbers.length * 2);
  larger.set(numbers);
  return larger;
}

/** FNV-1a with 32 bits, whose upper bits are mixed into the lower ones. */
function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x81_1c_9d_c5;
  for (let index = start; index < end; index += 1) hash = Math.imul(hash ^ bytes[index]!, 0x01_00_01_93);
  return (hash ^ (hash >>> 15)) >>> 0;
}
