import { setImmediate as nextTurn } from 'node:timers/promises';

interface PendingKey<Key, Value> {
  readonly key: Key;
  resolve(value: Value | undefined): void;
  reject(error: unknown): void;
}

/** Loads the values of several keys, in the order of the keys. */
export type LoadBatch<Key, Value> = (keys: readonly Key[]) => Promise<readonly (Value | undefined)[]>;

/** Maximum number of keys in a batch. Larger batches would delay the first of them. */
const MAX_BATCH_SIZE = 200;
/** A query for a single key costs half as much as one for many. A smaller batch waits a few turns of the event loop for more keys. */
const SMALL_BATCH = 4;
const MAX_WAIT_TURNS = 3;

/**
 * Combines many small queries into few large ones: keys that arrive while a query runs are loaded together by the next one.
 * That query is sent before the callers continue with the values of the previous one.
 */
export class BatchLoader<Key, Value> {
  private readonly pending: PendingKey<Key, Value>[] = [];
  private isLoading = false;

  /** @param open acquires a connection, calls `work` with a function that loads on it, and releases it when `work` ends */
  constructor(private readonly open: (work: (load: LoadBatch<Key, Value>) => Promise<void>) => Promise<void>) {}

  load(key: Key): Promise<Value | undefined> {
    return new Promise((resolve, reject) => {
      this.pending.push({ key, resolve, reject });
      if (!this.isLoading) void this.loadWhilePending();
    });
  }

  private async loadWhilePending(): Promise<void> {
    this.isLoading = true;
    while (this.pending.length > 0) {
      let isOpen = false;
      const loading = this.open((load) => {
        isOpen = true;
        return this.loadBatches(load);
      });
      await loading.catch((error) => {
        // After a failed query its keys are rejected already and the others are tried again. Without a connection all fail.
        if (!isOpen) for (const { reject } of this.pending.splice(0)) reject(error);
      });
    }
    this.isLoading = false;
  }

  private async loadBatches(load: LoadBatch<Key, Value>): Promise<void> {
    for (let resolvePrevious = () => {}; ; ) {
      // Keys whose callers run within these turns join the batch.
      let turns = 0;
      do await nextTurn();
      while (++turns < MAX_WAIT_TURNS && this.pending.length < SMALL_BATCH);
      const batch = this.pending.splice(0, MAX_BATCH_SIZE);
      const loading = batch.length > 0 ? load(batch.map(({ key }) => key)) : undefined;
      resolvePrevious();
      if (!loading) return;
      try {
        const values = await loading;
        resolvePrevious = () => {
          for (const [index, { resolve }] of batch.entries()) resolve(values[index]);
        };
      } catch (error) {
        for (const { reject } of batch) reject(error);
        throw error;
      }
    }
  }
}
