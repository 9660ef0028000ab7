const PAGE_SHIFT = 12;
const PAGE_MASK = 2 ** PAGE_SHIFT - 1;
const WORD_SHIFT = 5;
const WORD_MASK = 2 ** WORD_SHIFT - 1;

/** A set of ids of users, with a bit for each: some 13 kB for 100,000 users, so that each node can have one. */
export class UserIds {
  /** By the higher bits of the ids. */
  private readonly pages = new Map<number, Uint32Array>();

  has(id: number): boolean {
    const word = this.pages.get(id >>> PAGE_SHIFT)?.[(id & PAGE_MASK) >>> WORD_SHIFT] ?? 0;
    return ((word >>> (id & WORD_MASK)) & 1) === 1;
  }

  get size(): number {
    let size = 0;
    for (const words of this.pages.values()) for (const word of words) size += bitsOf(word);
    return size;
  }

  add(id: number): void {
    const page = this.pageOf(id >>> PAGE_SHIFT);
    const word = (id & PAGE_MASK) >>> WORD_SHIFT;
    page[word] = (page[word] ?? 0) | (1 << (id & WORD_MASK));
  }

  delete(id: number): void {
    const page = this.pages.get(id >>> PAGE_SHIFT);
    const word = (id & PAGE_MASK) >>> WORD_SHIFT;
    if (page) page[word] = (page[word] ?? 0) & ~(1 << (id & WORD_MASK));
  }

  /** Adds all ids of another set. */
  addAll(others: UserIds): void {
    for (const [number, words] of others.pages) {
      const page = this.pageOf(number);
      for (const [index, word] of words.entries()) page[index] = (page[index] ?? 0) | word;
    }
  }

  /** An independent copy. */
  copy(): UserIds {
    const copy = new UserIds();
    for (const [number, words] of this.pages) copy.pages.set(number, words.slice());
    return copy;
  }

  private pageOf(number: number): Uint32Array {
    const known = this.pages.get(number);
    if (known) return known;
    const page = new Uint32Array((PAGE_MASK + 1) >>> WORD_SHIFT);
    this.pages.set(number, page);
    return page;
  }
}

/** The number of bits that are set, from the sums of ever wider groups of them. */
function bitsOf(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
