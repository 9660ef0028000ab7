interface Waiting<Question, Answer> {
  readonly question: Question;
  resolve(answer: Answer | undefined): void;
  reject(error: unknown): void;
}

/** More of them would keep those waiting who came first. */
const MOST_AT_ONCE = 200;

/** Many small questions as few large ones: who comes while one is under way is asked for in the next, with all who wait. */
export class Batch<Question, Answer> {
  private readonly waiting: Waiting<Question, Answer>[] = [];
  private isAsking = false;

  /** @param ask gives the answers in the order of the questions */
  constructor(private readonly ask: (questions: readonly Question[]) => Promise<readonly (Answer | undefined)[]>) {}

  answerTo(question: Question): Promise<Answer | undefined> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ question, resolve, reject });
      if (!this.isAsking) void this.askAll();
    });
  }

  private async askAll(): Promise<void> {
    this.isAsking = true;
    while (this.waiting.length > 0) await this.askSome(this.waiting.splice(0, MOST_AT_ONCE));
    this.isAsking = false;
  }

  private async askSome(some: readonly Waiting<Question, Answer>[]): Promise<void> {
    try {
      const answers = await this.ask(some.map(({ question }) => question));
      for (const [index, { resolve }] of some.entries()) resolve(answers[index]);
    } catch (error) {
      for (const { reject } of some) reject(error);
    }
  }
}
