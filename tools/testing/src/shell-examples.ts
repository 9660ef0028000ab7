import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';

/** A `sh` block of a page, with the `text` block that follows it. */
export interface ShellExample {
  readonly code: string;
  /** What the block prints, if the page says so. */
  readonly output: string | undefined;
}

/** Reads the `sh` blocks of a page in their order. A `text` block directly below shows what the block above prints. */
export async function readShellExamples(file: string): Promise<ShellExample[]> {
  const text = await readFile(file, 'utf8');
  const blocks = text.matchAll(/^```sh\n(.*?)^```\n(?:\n^```text\n(.*?)^```\n)?/gms);
  return [...blocks].map(([, code = '', output]) => ({ code, output: output?.trimEnd() }));
}

/** A bash that runs one piece of code after the other, so that later ones see the variables and functions of earlier ones. */
export class ShellSession {
  private readonly shell;
  private printed = '';

  /** @param bash the command that starts it, such as one that does so in a container */
  constructor(env: NodeJS.ProcessEnv, [bash = '', ...args]: readonly string[] = ['bash', '-u']) {
    this.shell = spawn(bash, args, { env: { ...process.env, ...env }, stdio: 'pipe' });
    for (const stream of [this.shell.stdout, this.shell.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.printed += text;
        this.shell.emit('output');
      });
  }

  /** Runs the code and returns its output without white space at its end. @throws Error with the output when the code fails */
  async run(code: string): Promise<string> {
    this.printed = '';
    // What reads standard input must not read the code that follows.
    this.shell.stdin.write(`set -e\n{\n${code}\n} < /dev/null\nset +e\nprintf '\\nended\\n'\n`);
    for (;;) {
      if (this.printed.endsWith('\nended\n')) return this.printed.slice(0, -'\nended\n'.length).trimEnd();
      if (this.shell.exitCode !== null) throw new Error(`${code}\nended with ${this.shell.exitCode}:\n${this.printed}`);
      await Promise.race([once(this.shell, 'output'), once(this.shell, 'close')]);
    }
  }

  close(): void {
    this.shell.kill('SIGKILL');
  }
}
