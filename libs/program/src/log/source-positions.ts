import { existsSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A position in a stack, such as `file:///opt/rampart/main.bundle.cjs:12:345`. */
const POSITION = /((?:file:\/\/)?\/[^\s():]+\.[cm]?js):(\d+):(\d+)/g;

/** Time that a source map is kept, in ms. One takes tens of megabytes, and errors come together or not at all. */
const KEPT_MS = 10_000;

const maps = new Map<string, SourceMap | undefined>();

/**
 * Replaces positions in compiled files that have a source map beside them by those in the sources. Only what is printed is
 * translated, so that a program without errors never reads a map, as Node.js would with --enable-source-maps.
 *
 * @param text a stack, or any text that may contain some.
 */
export function withSourcePositions(text: string): string {
  return text.replace(POSITION, (found: string, file: string, line: string, column: string) => {
    const path = file.startsWith('file:') ? fileURLToPath(file) : file;
    const entry = mapOf(path)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (entry === undefined || !('originalSource' in entry)) return found;
    const { originalSource, originalLine, originalColumn } = entry;
    // Bundles name sources by their paths in the repository or in their package.
    const source = originalSource.startsWith('.') ? resolve(dirname(path), originalSource) : originalSource;
    return `${source}:${originalLine + 1}:${originalColumn + 1}`;
  });
}

function mapOf(path: string): SourceMap | undefined {
  if (!maps.has(path)) {
    maps.set(path, readMap(`${path}.map`));
    setTimeout(() => maps.delete(path), KEPT_MS).unref();
  }
  return maps.get(path);
}

function readMap(path: string): SourceMap | undefined {
  if (!existsSync(path)) return undefined;
  try {
    return new SourceMap(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    // A damaged map must not hide the error that is being printed.
    return undefined;
  }
}
