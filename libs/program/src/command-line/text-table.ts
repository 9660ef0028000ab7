import { printable } from '../log/printable.js';

/** A table of columns with two spaces between them, under a line of headings. */
export function textTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, ...rows].map((row) => row.map(printable));
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => lengthOf(line[column] ?? ''))));
  return lines
    .map((line) =>
      line
        .map((text, column) => pad(text, widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** A list of names and values, the values in one column. */
export function textList(entries: readonly (readonly [name: string, value: string])[]): string {
  const width = Math.max(0, ...entries.map(([name]) => name.length));
  return entries.map(([name, value]) => `${name.padEnd(width)}  ${printable(value)}`.trimEnd()).join('\n');
}

const lengthOf = (text: string): number => [...text].length;
const pad = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - lengthOf(text)));
