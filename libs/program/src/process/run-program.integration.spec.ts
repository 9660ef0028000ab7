import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';

const LIBRARY = fileURLToPath(new URL('../..', import.meta.url));
const TSC = fileURLToPath(new URL('../../../../node_modules/typescript/bin/tsc', import.meta.url));

/** A program that prints what it does, and starts, opens and closes when it reads a word from standard input. */
const PROGRAM = `
import { OperatorError, runProgram } from ${JSON.stringify(new URL('../../dist/index.js', import.meta.url))};
const say = (text) => process.stdout.write(text + ';');
const word = async (text) => {
  say(text);
  const said = String(await new Promise((resolve) => process.stdin.once('data', resolve)));
  if (said === 'fail') throw new OperatorError('Set PORT to a free one.');
};
runProgram(
  async () => {
    await word('start');
    return { close: () => word('close') };
  },
  () => word('open'),
);
`;

class Program {
  output = '';
  errors = '';
  private readonly child: ChildProcess;
  private readonly ended: Promise<unknown[]>;

  constructor(more: string) {
    this.child = spawn(process.execPath, ['--input-type=module', '--eval', PROGRAM + more]);
    this.ended = once(this.child, 'close');
    this.child.stdout?.on('data', (chunk: Buffer) => {
      this.output += chunk;
    });
    this.child.stderr?.on('data', (chunk: Buffer) => {
      this.errors += chunk;
    });
  }

  async says(text: string): Promise<void> {
    while (!this.output.endsWith(`${text};`)) await once(this.child.stdout ?? this.child, 'data');
  }

  hears(word: string): void {
    this.child.stdin?.write(word);
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  async exitCode(): Promise<unknown> {
    const [code] = await this.ended;
    return code;
  }
}

describe('runProgram', () => {
  let program: Program;

  const run = async (more = ''): Promise<void> => {
    program = new Program(more);
    await program.says('start');
  };

  beforeAll(() => promisify(execFile)(process.execPath, [TSC, '-b', LIBRARY]));
  afterEach(() => program.kill('SIGKILL'));

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'closes the program at %s, and a second signal does not kill it',
    async (signal) => {
      await run();
      program.hears('go');
      await program.says('open');
      program.kill(signal);
      await program.says('close');
      program.kill(signal);
      program.kill('SIGINT');
      program.kill('SIGTERM');
      program.hears('go');
      expect(await program.exitCode()).toBe(0);
      expect(program.output).toBe('start;open;close;');
    },
  );

  it('opens nothing when a signal comes during the start', async () => {
    await run(`process.on('SIGTERM', () => say('told'));`);
    program.kill('SIGTERM');
    await program.says('told');
    program.hears('go');
    await program.says('close');
    program.hears('go');
    expect(await program.exitCode()).toBe(0);
    expect(program.output).toBe('start;told;close;');
  });

  it('closes the program when it cannot open, and prints the message of the error', async () => {
    await run();
    program.hears('go');
    await program.says('open');
    program.hears('fail');
    await program.says('close');
    program.hears('go');
    expect(await program.exitCode()).toBe(1);
    expect(program.errors).toBe('Set PORT to a free one.\n');
  });

  it.each([
    ['has closed', 'go', ''],
    ['fails to close', 'fail', 'Set PORT to a free one.\n'],
    ['does not close in time', '', ''],
  ])(
    'ends with process.exitCode where the program has set it and %s',
    async (_, word, errors) => {
      await run('process.exitCode = 76;');
      program.hears('go');
      await program.says('open');
      program.kill('SIGTERM');
      await program.says('close');
      if (word !== '') program.hears(word);
      expect(await program.exitCode()).toBe(76);
      expect(program.errors).toBe(errors);
    },
    15_000,
  );

  it('ends with the error of a failed start', async () => {
    await run();
    program.hears('fail');
    expect(await program.exitCode()).toBe(1);
    expect([program.output, program.errors]).toEqual(['start;', 'Set PORT to a free one.\n']);
  });
});
