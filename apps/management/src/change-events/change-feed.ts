import { Injectable } from '@nestjs/common';
import { type ChangeEvent, parseEvent, type SilentEntry } from './change-event.js';

/** Maximum number of entries that are kept for readers who come back. */
const MAX_KEPT = 2_000;

/** Somebody who hears of changes in this process. */
export interface FeedReader {
  happened(event: ChangeEvent): void;
  /** Events may have been missed. */
  missed(): void;
}

/**
 * The changes that this replica hears of, and the last of them. PostgreSQL delivers notifications to all replicas in one
 * order, that of the commits, so a reader can go on at another replica.
 */
@Injectable()
export class ChangeFeed {
  private kept: (ChangeEvent | SilentEntry)[] = [];
  private readonly readers = new Set<FeedReader>();

  /** Takes a notification. */
  receive(payload: string): void {
    const event = parseEvent(payload);
    if (!event) return;
    this.kept.push(event);
    // Copied rarely, so that an event costs little.
    if (this.kept.length > 2 * MAX_KEPT) this.kept = this.kept.slice(-MAX_KEPT);
    if (isHeard(event)) for (const reader of this.readers) reader.happened(event);
  }

  /** The connection was made anew: what happened before is unknown. */
  restart(): void {
    this.kept = [];
    for (const reader of this.readers) reader.missed();
  }

  /** The number of the last entry; undefined while none is known. */
  get lastId(): number | undefined {
    return this.kept.at(-1)?.id;
  }

  /** The events after the entry with this number; undefined when that is not known here. */
  after(id: number): readonly ChangeEvent[] | undefined {
    const at = this.kept.findLastIndex((event) => event.id === id);
    return at < 0 ? undefined : this.kept.slice(at + 1).filter(isHeard);
  }

  /** Returns a function that removes the reader. */
  add(reader: FeedReader): () => void {
    this.readers.add(reader);
    return () => void this.readers.delete(reader);
  }
}

const isHeard = (entry: ChangeEvent | SilentEntry): entry is ChangeEvent => entry.type !== null;
