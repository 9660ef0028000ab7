const FIRST_BYTES = 1024;

/** Joins chunks as they come, so that it holds little more than their bytes, however small each chunk is. */
export class ByteCollector {
  private space = Buffer.alloc(0);
  private used = 0;

  get length(): number {
    return this.used;
  }

  add(chunk: Uint8Array): void {
    const length = this.used + chunk.length;
    if (length > this.space.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(FIRST_BYTES, length, 2 * this.space.length));
      larger.set(this.space.subarray(0, this.used));
      this.space = larger;
    }
    this.space.set(chunk, this.used);
    this.used = length;
  }

  /** All bytes so far, which later chunks do not change. */
  bytes(): Buffer {
    return this.space.subarray(0, this.used);
  }
}
