import { setTimeout as wait } from 'node:timers/promises';
import { ProgramProcess } from '@rampart/testing';
import { signal } from './processes.js';

const RESTART_PAUSE_MS = 300;

/** A program that is started again whenever it ends, as systemd and container runtimes do. */
export class Supervised {
  private ending = false;
  private earlierOutput = '';
  private pause = RESTART_PAUSE_MS;
  private readonly running: Promise<void>;
  /** How often it has been started. */
  starts = 0;

  private constructor(
    private readonly launch: () => ProgramProcess,
    private program: ProgramProcess,
  ) {
    this.running = this.keepRunning();
  }

  /** Starts it, and waits until it has printed `ready`. */
  static async start(launch: () => ProgramProcess, ready: string): Promise<Supervised> {
    const program = launch();
    await program.printed(ready);
    return new Supervised(launch, program);
  }

  /** What it has printed since its first start. */
  get output(): string {
    return this.earlierOutput + this.program.output;
  }

  /** Kills it with SIGKILL; it returns after this time. */
  kill(absentMs: number): void {
    this.pause = absentMs;
    signal([this.program.pid], 'SIGKILL');
  }

  suspend(): void {
    signal([this.program.pid], 'SIGSTOP');
  }

  resume(): void {
    signal([this.program.pid], 'SIGCONT');
  }

  /** Ends it with SIGINT: a node ends its engines too. */
  async end(): Promise<void> {
    this.ending = true;
    this.resume();
    await this.program.stop('SIGINT');
    await this.running;
  }

  private async keepRunning(): Promise<void> {
    while (!this.ending) {
      const { output } = await this.program.ended();
      if (this.ending) return;
      this.earlierOutput += output;
      await wait(this.pause);
      this.pause = RESTART_PAUSE_MS;
      if (this.ending) return;
      this.program = this.launch();
      this.starts++;
    }
  }
}
