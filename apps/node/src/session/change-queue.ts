import { SerialQueue } from '../concurrency/serial-queue.js';

/** Users that are changed together. */
export interface ChangeStep {
  readonly users: readonly { readonly email: string }[];
}

interface Batch<T> {
  readonly steps: T[];
  readonly emails: Set<string>;
  readonly done: Promise<void>;
}

/**
 * A serial queue in which changes that wait side by side are carried out as one: on shadowsocks-2022 each costs as much
 * as all of them. Two changes of one user stay two, in their order.
 */
export class ChangeQueue<T extends ChangeStep> extends SerialQueue {
  /** The last in the queue, as long as it has not begun and nothing else came behind it. */
  private waiting?: Batch<T>;

  constructor(
    private readonly carryOut: (steps: readonly T[]) => Promise<void>,
    /** Users of all steps together; a larger step is carried out alone. */
    private readonly limit: number,
  ) {
    super();
  }

  override run<R>(task: () => Promise<R>): Promise<R> {
    this.waiting = undefined;
    return super.run(task);
  }

  /** When it is carried out, alone or with others. */
  change(step: T): Promise<void> {
    const { waiting } = this;
    if (waiting !== undefined && this.fits(waiting, step)) {
      waiting.steps.push(step);
      for (const { email } of step.users) waiting.emails.add(email);
      return waiting.done;
    }
    const steps = [step];
    const done = this.run(() => {
      if (this.waiting?.steps === steps) this.waiting = undefined;
      return this.carryOut(steps);
    });
    this.waiting = { steps, emails: new Set(step.users.map(({ email }) => email)), done };
    return done;
  }

  private fits({ emails }: Batch<T>, { users }: T): boolean {
    return emails.size + users.length <= this.limit && !users.some(({ email }) => emails.has(email));
  }
}
