import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

export interface OwnerAnswer {
  url?: string;
  pid?: number;
  error?: string;
}

export interface Owner {
  process: ChildProcess;
  answer: OwnerAnswer;
}

const bundle = fileURLToPath(new URL('../../../../node_modules/.cache/owner-process.mjs', import.meta.url));

/** Bundles the program into one file beside the packages that it imports. */
export async function buildOwner(): Promise<void> {
  await build({
    entryPoints: [fileURLToPath(new URL('owner-process.ts', import.meta.url))],
    outfile: bundle,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    logLevel: 'warning',
  });
}

/** Runs the program as another process, and waits until its database runs or it has given up. */
export async function runOwner(
  dataDir: string,
  as: { uid?: number; gid?: number; env?: NodeJS.ProcessEnv } = {},
): Promise<Owner> {
  await mkdir(dataDir, { recursive: true });
  const child = spawn(process.execPath, [bundle, dataDir], { ...as, cwd: '/', stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  for await (const line of createInterface(child.stdout)) {
    const answer: OwnerAnswer & { line?: string } = JSON.parse(line);
    if (answer.line !== undefined) continue;
    child.stdout.resume();
    return { process: child, answer };
  }
  throw new Error(`the owner ended without an answer: ${await exited}`);
}
