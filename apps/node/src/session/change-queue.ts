import { SerialQueue } from '../concurrency/serial-queue.js';

/** Users that are changed together. */
export interface ChangeStep {
  readonly users: readonly { readonly email: string }[];
}

interface ChangeBatch<T> {
  readonly steps: T[];
  readonly emails: Set<string>;
  readonly done: Promise<void>;
}

/**
 * A serial queue that merges adjacent waiting changes into one: on shadowsocks-2022 each separate change would cost as
 * much as all of them merged. Two changes of the same user stay separate, in their order.
 */
export class ChangeQueue<T extends ChangeStep> extends SerialQueue {
  /** The last batch in the queue, as long as it has not begun and nothing is queued behind it. */
  private openBatch?: ChangeBatch<T>;

  constructor(
    private readonly applySteps: (steps: readonly T[]) => Promise<void>,
    /** Maximum number of users in a batch; a larger step is carried out alone. */
    private readonly maxUsers: number,
  ) {
    super();
  }

  override run<R>(task: () => Promise<R>): Promise<R> {
    this.openBatch = undefined;
    return super.run(task);
  }

  /** Resolves when the change is carried out, alone or with others. */
  enqueueChange(step: T): Promise<void> {
    const { openBatch } = this;
    if (openBatch !== undefined && this.fitsIntoBatch(openBatch, step)) {
      openBatch.steps.push(step);
      for (const { email } of step.users) openBatch.emails.add(email);
      return openBatch.done;
    }
    const steps = [step];
    const done = this.run(() => {
      if (this.openBatch?.steps === steps) this.openBatch = undefined;
      return this.applySteps(steps);
    });
    this.openBatch = { steps, emails: new Set(step.users.map(({ email }) => email)), done };
    return done;
  }

  private fitsIntoBatch({ emails }: ChangeBatch<T>, { users }: T): boolean {
    return emails.size + users.length <= this.maxUsers && !users.some(({ email }) => emails.has(email));
  }
}
