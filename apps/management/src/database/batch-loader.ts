import { setImmediate as turn } from 'node:timers/promises';

interface Waiting<Question, Answer> {
  readonly question: Question;
  resolve(answer: Answer | undefined): void;
  reject(error: unknown): void;
}

/** Loads the answers to several questions, in the order of the questions. */
export type LoadBatch<Question, Answer> = (questions: readonly Question[]) => Promise<readonly (Answer | undefined)[]>;

/** Maximum number of questions in a batch. Larger batches would delay the first of them. */
const MOST_AT_ONCE = 200;
/**
 * A query for one question costs half as much as a full batch. A smaller batch waits a few turns of the event loop for
 * more.
 */
const HANDFUL = 4;
const MOST_TURNS = 3;

/**
 * Combines many small queries into few large ones: questions that arrive while a query runs are loaded together by the
 * next one. That next query is sent before the callers continue with the previous answers.
 */
export class BatchLoader<Question, Answer> {
  private readonly waiting: Waiting<Question, Answer>[] = [];
  private isAsking = false;

  /** @param open acquires the means to load, calls `work` with it, and releases it when `work` ends */
  constructor(private readonly open: (work: (ask: LoadBatch<Question, Answer>) => Promise<void>) => Promise<void>) {}

  load(question: Question): Promise<Answer | undefined> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ question, resolve, reject });
      if (!this.isAsking) void this.askWhileAnybodyWaits();
    });
  }

  private async askWhileAnybodyWaits(): Promise<void> {
    this.isAsking = true;
    while (this.waiting.length > 0) {
      let isOpen = false;
      const asking = this.open((ask) => {
        isOpen = true;
        return this.askAll(ask);
      });
      await asking.catch((error) => {
        // Questions of the failed batch were rejected already; waiting ones are loaded anew, unless nothing could be
        // opened.
        if (!isOpen) for (const { reject } of this.waiting.splice(0)) reject(error);
      });
    }
    this.isAsking = false;
  }

  private async askAll(ask: LoadBatch<Question, Answer>): Promise<void> {
    for (let answered = () => {}; ; ) {
      // Questions whose callers are about to run join this batch.
      let turns = 0;
      do await turn();
      while (++turns < MOST_TURNS && this.waiting.length < HANDFUL);
      const some = this.waiting.splice(0, MOST_AT_ONCE);
      const asking = some.length > 0 ? ask(some.map(({ question }) => question)) : undefined;
      answered();
      if (!asking) return;
      try {
        const answers = await asking;
        answered = () => {
          for (const [index, { resolve }] of some.entries()) resolve(answers[index]);
        };
      } catch (error) {
        for (const { reject } of some) reject(error);
        throw error;
      }
    }
  }
}
