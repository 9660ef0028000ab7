import { createInterface } from 'node:readline';
import { type Readable, Writable } from 'node:stream';

const INTERRUPTED = 130;

/** Reads the first line of standard input. On a terminal it asks for the secret and does not show what is typed. */
export async function readPassword(
  input: Readable & { isTTY?: boolean } = process.stdin,
  prompt = 'Password: ',
): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: nowhere, terminal: input.isTTY === true });
  lines.on('SIGINT', () => process.exit(INTERRUPTED));
  if (input.isTTY) process.stderr.write(prompt);
  try {
    for await (const line of lines) return line;
    return '';
  } finally {
    lines.close();
    if (input.isTTY) process.stderr.write('\n');
  }
}
