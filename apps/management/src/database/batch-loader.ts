import { setImmediate as nextTurn } from 'node:timers/promises';
import DataLoader from 'dataloader';

/** Loads the values of several keys, in the order of the keys. */
export type LoadBatch<Key, Value> = (keys: readonly Key[]) => Promise<readonly (Value | undefined)[]>;

interface Batch<Key, Value> {
  readonly keys: readonly Key[];
  resolve(values: readonly (Value | undefined)[]): void;
  reject(error: unknown): void;
}

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
  /** One function per batch that waits, which has the loader close the batch and fill `dispatched`. */
  private readonly waiting: (() => void)[] = [];
  private pendingKeys = 0;
  private dispatched: Batch<Key, Value> | undefined;
  private isLoading = false;
  private readonly loader = new DataLoader<Key, Value | undefined>(
    (keys) =>
      new Promise((resolve, reject) => {
        this.pendingKeys -= keys.length;
        this.dispatched = { keys, resolve, reject };
      }),
    {
      cache: false,
      maxBatchSize: MAX_BATCH_SIZE,
      batchScheduleFn: (dispatch) => {
        this.waiting.push(dispatch);
        if (!this.isLoading) void this.loadWhilePending();
      },
    },
  );

  /** @param open acquires a connection, calls `work` with a function that loads on it, and releases it when `work` ends */
  constructor(private readonly open: (work: (load: LoadBatch<Key, Value>) => Promise<void>) => Promise<void>) {}

  load(key: Key): Promise<Value | undefined> {
    this.pendingKeys++;
    return this.loader.load(key);
  }

  private async loadWhilePending(): Promise<void> {
    this.isLoading = true;
    while (this.waiting.length > 0) {
      let isOpen = false;
      const loading = this.open((load) => {
        isOpen = true;
        return this.loadBatches(load);
      });
      await loading.catch((error) => {
        // After a failed query its keys are rejected already and the others are tried again. Without a connection all fail.
        if (!isOpen) for (let batch = this.nextBatch(); batch; batch = this.nextBatch()) batch.reject(error);
      });
    }
    this.isLoading = false;
  }

  private async loadBatches(load: LoadBatch<Key, Value>): Promise<void> {
    for (let resolvePrevious = () => {}; ; ) {
      // Keys whose callers run within these turns join the batch.
      let turns = 0;
      do await nextTurn();
      while (++turns < MAX_WAIT_TURNS && this.pendingKeys < SMALL_BATCH);
      const batch = this.nextBatch();
      const loading = batch ? load(batch.keys) : [];
      resolvePrevious();
      if (!batch) return;
      try {
        const values = await loading;
        resolvePrevious = () => batch.resolve(values);
      } catch (error) {
        batch.reject(error);
        throw error;
      }
    }
  }

  /** Takes the batch that has waited longest. Keys that arrive from now on belong to another one. */
  private nextBatch(): Batch<Key, Value> | undefined {
    const dispatch = this.waiting.shift();
    dispatch?.();
    return dispatch && this.dispatched;
  }
}
