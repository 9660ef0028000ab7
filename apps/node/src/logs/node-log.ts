import type { LogRing } from './log-ring.js';

/** Where an operator reads what a program writes: its standard output. */
export interface Output {
  log(line: string): void;
  warn(line: string): void;
}

/** What the node tells about itself: each line stands in its log stream, with a mark, and on its standard output. */
export class NodeLog {
  constructor(
    /** The log stream, with the engine's lines too. */
    readonly ring: LogRing,
    private readonly output?: Output,
  ) {}

  note(text: string): void {
    this.ring.appendLine(`[rampart] ${text}`);
    this.output?.log(text);
  }

  /** What an operator should look after. */
  warn(text: string): void {
    this.ring.appendLine(`[rampart] ${text}`);
    this.output?.warn(text);
  }
}
