import { randomBytes } from 'node:crypto';

const RANDOM_BYTES = 8;

/**
 * The id under which the logs of management and the node have the calls of one worker: that of the request that has caused
 * them, where it was one alone, else an id of its own.
 */
export class SyncId {
  private readonly causes = new Set<string | undefined>();
  private id = newId();

  /** Adds a cause of the next step: a request, or something else (undefined). */
  addCause(requestId: string | undefined): void {
    this.causes.add(requestId);
  }

  /** A step begins; its causes are those that were added since the last one. */
  beginStep(): void {
    const [only] = this.causes;
    this.id = this.causes.size === 1 && only !== undefined ? only : newId();
    this.causes.clear();
  }

  get current(): string {
    return this.id;
  }
}

const newId = (): string => `sync-${randomBytes(RANDOM_BYTES).toString('hex')}`;
