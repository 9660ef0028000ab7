import type { LogLine } from '../../node.service.js';

type Batches = AsyncIterable<readonly LogLine[]>;

const LINE_BREAK = /\r\n|\r|\n/;

/** Log lines as Server-Sent Events, and a comment for an empty batch: nothing was said for a while. */
export async function* eventStreamFrames(batches: Batches): AsyncGenerator<string, void, void> {
  // The headers leave with the first bytes.
  yield ': open\n\n';
  for await (const lines of batches) yield lines.length === 0 ? ': alive\n\n' : lines.map(formatEvent).join('');
}

/** Log lines as other nodes send them: each followed by a line break, without any frame. */
export async function* plainTextFrames(batches: Batches): AsyncGenerator<string, void, void> {
  // Empty lines are skipped by those who read this form.
  yield '\n';
  for await (const lines of batches) yield lines.length === 0 ? '\n' : lines.map(formatPlainText).join('');
}

const formatEvent = ({ sequence, detail }: LogLine): string =>
  `id: ${sequence}\n${splitLines(detail)
    .map((part) => `data: ${part}\n`)
    .join('')}\n`;

const formatPlainText = ({ detail }: LogLine): string => `${splitLines(detail).join(' ')}\n`;

const splitLines = (detail: string): string[] => detail.split(LINE_BREAK);
