import type { Answer, Api } from '@rampart/testing';

const ANSWER_WITHIN_MS = 5_000;

/** Something of the API that is changed all the time, and the state in which the run wants it. */
export abstract class Subject {
  /** Whether a request for it went unanswered: management may still carry that out, even after later changes. */
  uncertain = false;

  constructor(readonly path: string) {}

  /** Makes the stored state the wanted one, whatever it is. @returns whether management has confirmed that. */
  async apply(api: Api): Promise<boolean> {
    try {
      return await this.write((method, path, body) => api.send(method, path, body, ANSWER_WITHIN_MS));
    } catch {
      this.uncertain = true;
      return false;
    }
  }

  /** Whether the stored state is the wanted one; undefined while there is no answer. */
  async isStored(api: Api): Promise<boolean | undefined> {
    try {
      const answer = await api.send('GET', this.path, undefined, ANSWER_WITHIN_MS);
      return answer.status < 500 ? this.matches(answer) : undefined;
    } catch {
      return undefined;
    }
  }

  protected abstract write(send: Send): Promise<boolean>;
  protected abstract matches(answer: Answer): boolean;

  /** Whether an answer confirms the change. A server error may have come after the change was made. */
  protected confirmed({ status, body }: Answer, ...others: number[]): boolean {
    if (status < 300 || others.includes(status)) return true;
    if (status < 500 && status !== 429) throw new Error(`${this.path} answered ${status}: ${JSON.stringify(body)}`);
    this.uncertain = true;
    return false;
  }
}

export type Send = (method: string, path: string, body?: unknown) => Promise<Answer>;
