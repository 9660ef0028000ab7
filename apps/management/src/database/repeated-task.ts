import type { BeforeApplicationShutdown, Logger, OnApplicationBootstrap } from '@nestjs/common';

const HOUR_MS = 3_600_000;

/** Work that every replica does when it starts and then at an interval. A failure is logged, and the next run tries again. */
export abstract class RepeatedTask implements OnApplicationBootstrap, BeforeApplicationShutdown {
  protected abstract readonly logger: Logger;
  protected readonly intervalMs: number = HOUR_MS;
  /** True while the service stops; work with many steps then ends before its next step. */
  protected closing = false;
  private running: Promise<void> = Promise.resolve();
  private timer?: NodeJS.Timeout;

  abstract run(now: Date): Promise<void>;

  onApplicationBootstrap(): void {
    const run = () => {
      this.running = this.run(new Date()).catch((error: Error) => this.logger.warn(error.message));
    };
    this.timer = setInterval(run, this.intervalMs);
    run();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.closing = true;
    clearInterval(this.timer);
    await this.running;
  }
}
