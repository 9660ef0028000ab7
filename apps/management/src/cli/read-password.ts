import { createInterface } from 'node:readline';
import { type Readable, Writable } from 'node:stream';

const INTERRUPTED = 130;

/** The first line of standard input; typed at a terminal, it is asked for and not shown. */
export async function readPassword(input: Readable & { isTTY?: boolean } = process.stdin): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: nowhere, terminal: input.isTTY === true });
  lines.on('SIGINT', () => process.exit(INTERRUPTED));
  if (input.isTTY) process.stderr.write('Password: ');
  try {
    for await (const line of lines) return line;
    return '';
  } finally {
    lines.close();
    if (input.isTTY) process.stderr.write('\n');
  }
}
