// What the commands of the repository are made of: steps with a name, programs that they run, and errors for the operator.
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '../..');

/** An error that the operator can act on; it is shown without a stack trace. */
export class StepError extends Error {
  isOperatorError = true;
}

/** Runs a program; its output is shown only if it fails, or always with `show`. */
export function run(command, args, { env = {}, show = false, cwd = root } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', show ? 'inherit' : 'pipe', show ? 'inherit' : 'pipe'],
    });
    const output = [];
    child.stdout?.on('data', (chunk) => output.push(chunk));
    child.stderr?.on('data', (chunk) => output.push(chunk));
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === 0) resolve();
      else
        reject(
          new StepError(
            `${Buffer.concat(output)}\n${command} ${args.join(' ')} ended with ${signal ?? `code ${code}`}`.trim(),
          ),
        );
    });
  });
}

/** Prints the name of a step, runs it, and prints how long it took. */
export async function step(name, work) {
  const since = performance.now();
  process.stdout.write(`› ${name} …\n`);
  await work();
  process.stdout.write(`✓ ${name} (${((performance.now() - since) / 1000).toFixed(1)} s)\n`);
}

/** Runs the main part of a command. An expected error is printed as a message without a stack trace. */
export async function main(work) {
  try {
    await work();
  } catch (error) {
    console.error(error?.isOperatorError ? `\n✗ ${error.message}` : error);
    process.exit(1);
  }
}
