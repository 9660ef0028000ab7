import { readFileSync } from 'node:fs';

/** What the kernel calls an abstract socket of this name: some versions of Node fill the name up with zeros. */
export function abstractPathOf(name: string): string {
  const lines = readFileSync('/proc/net/unix', 'utf8').split('\n');
  const paths = lines.flatMap((line) => line.split(/\s+/)[7] ?? []);
  const path = paths.find((candidate) => candidate.replace(/@+$/, '') === `@${name}`);
  if (path === undefined) throw new Error(`nobody listens on @${name}`);
  return path;
}
