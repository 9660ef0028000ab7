import { createInterface, type Interface } from 'node:readline';
import { type Readable, Writable } from 'node:stream';

const INTERRUPTED = 130;

/** Reads secrets from standard input, one a line. On a terminal it asks for each, and does not show what is typed. */
export class SecretReader {
  private readonly lines: Interface;
  private readonly read: AsyncIterator<string>;

  constructor(private readonly input: Readable & { isTTY?: boolean } = process.stdin) {
    const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
    this.lines = createInterface({ input, output: nowhere, terminal: input.isTTY === true });
    this.lines.on('SIGINT', () => process.exit(INTERRUPTED));
    this.read = this.lines[Symbol.asyncIterator]();
  }

  /** The next line; empty after the last one. */
  async ask(prompt: string): Promise<string> {
    if (this.input.isTTY) process.stderr.write(prompt);
    const { value, done } = await this.read.next();
    if (this.input.isTTY) process.stderr.write('\n');
    return done ? '' : value;
  }

  close(): void {
    this.lines.close();
  }
}

/** Reads the first line of standard input, as a secret. */
export async function readPassword(
  input: Readable & { isTTY?: boolean } = process.stdin,
  prompt = 'Password: ',
): Promise<string> {
  const reader = new SecretReader(input);
  try {
    return await reader.ask(prompt);
  } finally {
    reader.close();
  }
}
