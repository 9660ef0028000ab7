import { NodeClientError } from '../errors/node-client-error.js';
import type { Log } from '../gen/service.js';

/** Maximum length of a line in characters: an incomplete line is held in memory. Those of Rampart nodes have 128 Ki at most. */
const MAX_LINE_LENGTH = 512 * 1024;

/**
 * Parses a log stream: Server-Sent Events with their ids, or the plain lines of other nodes, which get the sequence 0.
 * Comments and empty lines are skipped.
 */
export async function* parseEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Log, void, void> {
  let data: string[] = [];
  let length = 0;
  let sequence = 0n;
  for await (const line of splitLines(chunks)) {
    const [, field, value] = /^(data|id|event|retry)?:(?: )?(.*)$/s.exec(line) ?? [];
    if (field === 'data') {
      data.push(value ?? '');
      length += line.length;
      if (length > MAX_LINE_LENGTH) throw tooLong();
    } else if (field === 'id') {
      sequence = /^\d{1,20}$/.test(value ?? '') ? BigInt(value ?? 0) : 0n;
    } else if (line === '') {
      if (data.length > 0) yield { detail: data.join('\n'), sequence };
      data = [];
      length = 0;
    } else if (value === undefined) yield { detail: line, sequence: 0n };
  }
}

async function* splitLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    // Only the new chunk is searched, so that a long line in small chunks takes linear time.
    const [first = '', ...lines] = decoder.decode(chunk, { stream: true }).split('\n');
    lines.unshift(rest + first);
    rest = lines.pop() ?? '';
    if (rest.length > MAX_LINE_LENGTH) throw tooLong();
    for (const line of lines) yield line.endsWith('\r') ? line.slice(0, -1) : line;
  }
  if (rest !== '') yield rest;
}

const tooLong = (): NodeClientError =>
  new NodeClientError('PROTOCOL', `a log line is longer than ${MAX_LINE_LENGTH} characters`);
