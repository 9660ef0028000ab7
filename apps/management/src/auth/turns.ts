/** Runs work under one key in the order in which it came, one after the other; under different keys at once. */
export class Turns {
  private readonly last = new Map<string, Promise<void>>();

  async take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.last.get(key) ?? Promise.resolve()).then(work);
    const end = turn.then(ignore, ignore);
    this.last.set(key, end);
    try {
      return await turn;
    } finally {
      if (this.last.get(key) === end) this.last.delete(key);
    }
  }
}

const ignore = (): void => undefined;
