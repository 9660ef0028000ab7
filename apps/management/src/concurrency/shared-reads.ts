import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Callers that ask for the same key before its read begins share one read. A read that is under way is not shared: it may
 * have missed what a later caller was told of.
 */
export class SharedReads<Value> {
  private readonly waiting = new Map<string, Promise<Value>>();

  read(key: string, read: () => Promise<Value>): Promise<Value> {
    const shared = this.waiting.get(key) ?? this.begin(key, read);
    this.waiting.set(key, shared);
    return shared;
  }

  private async begin(key: string, read: () => Promise<Value>): Promise<Value> {
    await nextTurn();
    this.waiting.delete(key);
    return read();
  }
}
