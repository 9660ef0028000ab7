import { redactor } from '@rampart/program';
import { callId } from './call-id.js';
import type { LogRing } from './log-ring.js';

/** Standard output, where operators read. */
export interface Output {
  log(line: string): void;
  warn(line: string): void;
}

/** Messages of the node itself: each is written, with a mark, to the log stream and to standard output. */
export class NodeLog {
  constructor(
    /** The log stream, which also has the engine's lines. */
    readonly ring: LogRing,
    private readonly output?: Output,
  ) {}

  note(text: string): void {
    this.append(text);
    this.output?.log(text);
  }

  /** A message that needs an operator's attention. The log stream has its level as the engine writes it. */
  warn(text: string): void {
    this.append(`[Warning] ${text}`);
    this.output?.warn(text);
  }

  /** The output adds the id of the call itself. */
  private append(text: string): void {
    const id = callId();
    this.ring.appendLine(`[rampart] ${redact(text)}${id === undefined ? '' : ` (request ${id})`}`);
  }
}

const redact = redactor();
