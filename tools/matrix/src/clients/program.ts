import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, listens } from '@rampart/testing';
import type { RunningClient } from './client.js';

/** The files of one run of a program: name to content. */
export type Files = Readonly<Record<string, string>>;
/** The command to run in the folder that contains the files. */
export type Command = (folder: string) => { readonly program: string; readonly args: readonly string[] };

/** Runs a program to its end and returns its output if it fails, or an empty text if it succeeds. */
export async function complaintOf(files: Files, command: Command): Promise<string> {
  return inFolder(files, async (folder) => {
    const { program, args } = command(folder);
    const checker = spawn(program, args);
    const output = outputOf(checker);
    const [code] = await once(checker, 'close');
    return code === 0 ? '' : output() || `exit code ${code}`;
  });
}

/** Starts a program that runs until it is closed; resolves when it listens on the port. */
export async function runUntilClosed(
  files: Files,
  command: Command,
  port: number,
  trusted: string,
): Promise<RunningClient> {
  const folder = await folderOf(files);
  const { program, args } = command(folder);
  const child = spawn(program, args, { env: { ...process.env, SSL_CERT_FILE: trusted } });
  const output = outputOf(child);
  const close = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await eventually(`the client listens on ${port}`, () => {
      if (child.exitCode !== null) throw new Error(`the client ended: ${output()}`);
      return listens(port);
    });
  } catch (error) {
    await close();
    throw error;
  }
  return { port, close };
}

async function inFolder<T>(files: Files, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await folderOf(files);
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function folderOf(files: Files): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rampart-client-'));
  await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(folder, name), text)));
  return folder;
}

/** Returns a function that gives the last output of the program. */
function outputOf({ stdout, stderr }: ChildProcess): () => string {
  let output = '';
  for (const stream of [stdout, stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output = `${output}${chunk}`.slice(-4000);
    });
  }
  return () => output;
}
