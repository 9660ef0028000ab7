import type { Writable } from 'node:stream';

const REDRAW_MS = 100;

/** Shows how far a command is: in one line that changes on a terminal, else with a line for each tenth. */
export class ProgressLine {
  private lastText = '';
  private lastShown = 0;
  private isOpen = false;

  constructor(
    private readonly output: Writable & { isTTY?: boolean },
    private readonly now = () => performance.now(),
  ) {}

  show(what: string, done: number, all: number): void {
    const percent = all === 0 ? 100 : Math.floor((100 * done) / all);
    if (!this.output.isTTY) this.print(`${percent - (percent % 10)} % of ${what}\n`);
    else if (done === all || this.now() - this.lastShown >= REDRAW_MS) {
      this.lastShown = this.now();
      this.print(`\r${done} of ${all} ${what}, ${percent} %`);
      this.isOpen = true;
    }
  }

  /** Ends the line, so that other text can follow. */
  end(): void {
    if (this.isOpen) this.output.write('\n');
    this.isOpen = false;
  }

  private print(text: string): void {
    if (text !== this.lastText) this.output.write(text);
    this.lastText = text;
  }
}
