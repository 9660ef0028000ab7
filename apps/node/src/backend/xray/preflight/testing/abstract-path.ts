import { readFileSync } from 'node:fs';

/** The kernel's name of an abstract socket: some versions of Node.js pad the name with zeros. */
export function abstractPathOf(name: string): string {
  const lines = readFileSync('/proc/net/unix', 'utf8').split('\n');
  const paths = lines.flatMap((line) => line.split(/\s+/)[7] ?? []);
  const path = paths.find((candidate) => candidate.replace(/@+$/, '') === `@${name}`);
  if (path === undefined) throw new Error(`nobody listens on @${name}`);
  return path;
}
