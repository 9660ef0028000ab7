import type { LogLine } from '../../node.service.js';

const LINE_BREAK = /\r\n|\r|\n/;

/** Log lines as Server-Sent Events, with a comment whenever nothing was said for a while. */
export async function* eventFrames(
  lines: AsyncIterable<LogLine>,
  heartbeatMs: number,
): AsyncGenerator<string, void, void> {
  // The headers leave with the first bytes.
  yield ': open\n\n';
  const iterator = lines[Symbol.asyncIterator]();
  try {
    let next = iterator.next();
    for (;;) {
      const result = await within(next, heartbeatMs);
      if (result === 'nothing yet') {
        yield ': alive\n\n';
        continue;
      }
      if (result.done) return;
      yield eventFrame(result.value);
      next = iterator.next();
    }
  } finally {
    await iterator.return?.();
  }
}

/** Log lines as other nodes send them: each followed by a line break, without any frame. */
export async function* bareFrames(lines: AsyncIterable<LogLine>): AsyncGenerator<string, void, void> {
  // Empty lines are skipped by those who read this form.
  yield '\n';
  for await (const { detail } of lines) yield `${detail.split(LINE_BREAK).join(' ')}\n`;
}

const eventFrame = ({ sequence, detail }: LogLine): string =>
  `id: ${sequence}\n${detail
    .split(LINE_BREAK)
    .map((line) => `data: ${line}\n`)
    .join('')}\n`;

async function within<T>(promise: Promise<T>, milliseconds: number): Promise<T | 'nothing yet'> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<'nothing yet'>((resolve) => {
    timer = setTimeout(resolve, milliseconds, 'nothing yet');
  });
  try {
    return await Promise.race([promise, silence]);
  } finally {
    clearTimeout(timer);
  }
}
