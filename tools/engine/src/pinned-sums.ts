import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { StrategyFailed } from './errors.js';
import type { Platform, Program, ProgramName } from './programs.js';

/** SHA-256 of a release archive in lower-case hex, or a sentence that says why none is pinned yet. */
export type PinnedSum = { readonly sha256: string } | { readonly missing: string };

/** Pinned sums by program, version and platform. */
export type PinnedSums = Partial<Record<ProgramName, Record<string, Partial<Record<Platform, PinnedSum>>>>>;

/** Absolute path of the table in the repository. */
export const SUMS_FILE = fileURLToPath(new URL('../sums.json', import.meta.url));

/** Reads a table of sums. A damaged table is a StrategyFailed that names the entry: it must not count as an empty one. */
export async function readPinnedSums(file = SUMS_FILE): Promise<PinnedSums> {
  const sums: unknown = JSON.parse(await readFile(file, 'utf8'));
  for (const [program, versions] of entriesOf(sums)) {
    for (const [version, platforms] of entriesOf(versions)) {
      for (const [platform, sum] of entriesOf(platforms)) {
        if (!isPinnedSum(sum)) throw new StrategyFailed(`${file}: ${program} ${version} ${platform} is not a SHA-256`);
      }
    }
  }
  return sums as PinnedSums;
}

export async function writePinnedSums(sums: PinnedSums, file = SUMS_FILE): Promise<void> {
  await writeFile(file, `${JSON.stringify(sums, undefined, 2)}\n`);
}

/** Returns the table's entry for one archive, or `missing` with the reason. */
export function pinnedSum(sums: PinnedSums, { name, version }: Program, platform: string): PinnedSum {
  const sum = Object.entries(sums[name]?.[version] ?? {}).find(([key]) => key === platform)?.[1];
  return sum ?? { missing: 'the table has no entry for it' };
}

/** Returns a copy of the table in which the entry is added or replaced. */
export function withPinnedSum(sums: PinnedSums, program: Program, platform: Platform, sum: PinnedSum): PinnedSums {
  const { name, version } = program;
  const versions = sums[name] ?? {};
  return { ...sums, [name]: { ...versions, [version]: { ...versions[version], [platform]: sum } } };
}

function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

function isPinnedSum(value: unknown): value is PinnedSum {
  if (typeof value !== 'object' || value === null) return false;
  if ('missing' in value) return typeof value.missing === 'string' && !('sha256' in value);
  return 'sha256' in value && typeof value.sha256 === 'string' && /^[0-9a-f]{64}$/.test(value.sha256);
}
