import type { Page, Route } from 'playwright-core';

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** What a member may become that this version of the pages does not know. */
const STRANGE: readonly Json[] = [null, 'a_value_of_tomorrow', -1, 1e300, {}, [], [null], true];
const LONG = 'ж'.repeat(20_000);
const MEGABYTE = 'ж'.repeat(500_000);
const NAMES = new Set(['name', 'remark', 'username', 'inbound_tag']);

/** Numbers from 0 to 1 that follow from a seed, so that a failure can be repeated (mulberry32). */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A document of which about one part in nine is missing, empty, far too long, or of another kind. */
function strange(document: Json, random: () => number): Json {
  const chance = random();
  if (chance < 0.07) return STRANGE[Math.floor(random() * STRANGE.length)] ?? null;
  if (typeof document === 'string') return chance < 0.08 ? LONG : document;
  if (typeof document !== 'object' || document === null) return document;
  if (Array.isArray(document)) return chance < 0.1 ? [] : document.map((one) => strange(one, random));
  const kept = Object.entries(document).filter(() => random() >= 0.03);
  return Object.fromEntries(kept.map(([name, value]) => [name, strange(value, random)]));
}

/** A document in which the first name has a megabyte. */
function huge(document: Json): Json {
  let isFirst = true;
  return JSON.parse(JSON.stringify(document), (name, value: unknown) => {
    if (!isFirst || !NAMES.has(name)) return value;
    isFirst = false;
    return MEGABYTE;
  }) as Json;
}

type Change = (document: Json, path: string) => Json;

/** Stands between a page and the API, and makes answers strange while it is told to. */
export class StrangeAnswers {
  private change: Change | undefined;

  private constructor() {}

  static async to(page: Page): Promise<StrangeAnswers> {
    const answers = new StrangeAnswers();
    await page.route(/\/api\/(?!events)/, (route) => answers.answer(route));
    return answers;
  }

  /** From now on answers differ from what they should be, in a way that follows from the seed and their path. */
  fromSeed(seed: number): void {
    const place = (path: string) => [...path].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), seed) | 0;
    this.change = (document, path) => strange(document, numbersFrom(place(path)));
  }

  withHugeNames(): void {
    this.change = huge;
  }

  /** All answers are this one. */
  withNothingBut(answer: Json): void {
    this.change = () => answer;
  }

  sane(): void {
    this.change = undefined;
  }

  private async answer(route: Route): Promise<void> {
    const { change } = this;
    const request = route.request();
    if (!change || request.method() !== 'GET') return route.fallback();
    try {
      const response = await route.fetch();
      const text = await response.text();
      const { pathname } = new URL(request.url());
      await route.fulfill({ response, body: text && JSON.stringify(change(JSON.parse(text) as Json, pathname)) });
    } catch {
      // The page was left before its answer came.
    }
  }
}
