import type { LogLine } from '../../node.service.js';

type Batches = AsyncIterable<readonly LogLine[]>;

const LINE_BREAK = /\r\n|\r|\n/;

/** Formats log lines as Server-Sent Events, and an empty batch as a comment that keeps the connection alive. */
export async function* eventStreamFrames(batches: Batches): AsyncGenerator<string, void, void> {
  // The response headers are sent with the first bytes.
  yield ': open\n\n';
  for await (const lines of batches) yield lines.length === 0 ? ': alive\n\n' : lines.map(formatEvent).join('');
}

/** Formats log lines as other nodes send them: each followed by a line break, without any frame. */
export async function* plainTextFrames(batches: Batches): AsyncGenerator<string, void, void> {
  // Readers of this format skip empty lines.
  yield '\n';
  for await (const lines of batches) yield lines.length === 0 ? '\n' : lines.map(formatPlainText).join('');
}

const formatEvent = ({ sequence, detail }: LogLine): string =>
  `id: ${sequence}\n${splitLines(detail)
    .map((part) => `data: ${part}\n`)
    .join('')}\n`;

const formatPlainText = ({ detail }: LogLine): string => `${splitLines(detail).join(' ')}\n`;

const splitLines = (detail: string): string[] => detail.split(LINE_BREAK);
