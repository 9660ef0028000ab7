import type { Actor } from '../access/actor.js';

/** How many streams that end only with their readers may be open at a time. */
export interface ReaderLimits {
  readonly all: number;
  readonly ofAdmin: number;
  /** Of the API tokens of an admin together, fewer than it may have itself. */
  readonly ofTokens: number;
  readonly ofToken: number;
}

/** Places of readers, of which neither an admin takes all nor an API token those of its admin. */
export class ReaderPlaces {
  private readonly taken = new Map<string, number>();

  constructor(private readonly limits: ReaderLimits) {}

  /** Takes a place, and returns what gives it back, once. Undefined where all are taken. */
  take(actor: Pick<Actor, 'id' | 'apiTokenId'>): (() => void) | undefined {
    const places = this.placesOf(actor);
    if (places.some(([key, limit]) => this.count(key) >= limit)) return undefined;
    for (const [key] of places) this.taken.set(key, this.count(key) + 1);
    let isTaken = true;
    return () => {
      if (isTaken) for (const [key] of places) this.give(key);
      isTaken = false;
    };
  }

  private placesOf({ id, apiTokenId }: Pick<Actor, 'id' | 'apiTokenId'>): [string, number][] {
    const { all, ofAdmin, ofTokens, ofToken } = this.limits;
    const places: [string, number][] = [
      ['all', all],
      [`admin ${id}`, ofAdmin],
    ];
    if (apiTokenId !== undefined) places.push([`tokens ${id}`, ofTokens], [`token ${apiTokenId}`, ofToken]);
    return places;
  }

  private count(key: string): number {
    return this.taken.get(key) ?? 0;
  }

  private give(key: string): void {
    const left = this.count(key) - 1;
    if (left > 0) this.taken.set(key, left);
    else this.taken.delete(key);
  }
}
