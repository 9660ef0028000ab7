import { NodeClientError } from './node-client-error.js';

/** Longest line that is held while its end has not come, in characters. */
const MAX_LINE = 4 * 1024 * 1024;

/**
 * The log lines in the text of a log stream: Server-Sent Events, or the bare lines of other nodes. Comments, ids and
 * empty lines are skipped.
 */
export async function* linesOfEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, void> {
  let data: string[] = [];
  for await (const line of splitLines(chunks)) {
    const [, field, value] = /^(data|id|event|retry)?:(?: )?(.*)$/s.exec(line) ?? [];
    if (field === 'data') data.push(value ?? '');
    else if (line === '') {
      if (data.length > 0) yield data.join('\n');
      data = [];
    } else if (value === undefined) yield line;
  }
}

async function* splitLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > MAX_LINE)
      throw new NodeClientError('PROTOCOL', `a log line is longer than ${MAX_LINE} characters`);
    for (const line of lines) yield line.endsWith('\r') ? line.slice(0, -1) : line;
  }
  if (rest !== '') yield rest;
}
