#!/usr/bin/env node
import { runCommand } from './install/command.js';

const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interruption.abort());

try {
  const screens = { out: process.stdout, err: process.stderr };
  process.exitCode = await runCommand(process.argv.slice(2), screens, { signal: interruption.signal });
} catch (error) {
  if (!interruption.signal.aborted) throw error;
  process.stderr.write('\nInterrupted.\n');
  process.exitCode = 130;
}
