import { setImmediate as turn } from 'node:timers/promises';

interface Waiting<Question, Answer> {
  readonly question: Question;
  resolve(answer: Answer | undefined): void;
  reject(error: unknown): void;
}

/** Gives the answers in the order of the questions. */
export type LoadBatch<Question, Answer> = (questions: readonly Question[]) => Promise<readonly (Answer | undefined)[]>;

/** More of them would keep those waiting who came first. */
const MOST_AT_ONCE = 200;
/** A question costs half of an answer: where fewer than so many would share it, it waits for some turns for others. */
const HANDFUL = 4;
const MOST_TURNS = 3;

/**
 * Many small questions as few large ones: who comes while one is under way is asked for in the next, with all who wait. The
 * next one is on its way before anybody makes use of the answers to the one before.
 */
export class BatchLoader<Question, Answer> {
  private readonly waiting: Waiting<Question, Answer>[] = [];
  private isAsking = false;

  /** @param open does its work with a way to ask that is open as long as somebody waits, and closes it then */
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
        // Who was asked for knows already; who waits is asked for anew.
        if (!isOpen) for (const { reject } of this.waiting.splice(0)) reject(error);
      });
    }
    this.isAsking = false;
  }

  private async askAll(ask: LoadBatch<Question, Answer>): Promise<void> {
    for (let answered = () => {}; ; ) {
      // Whoever is at the door comes along.
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
