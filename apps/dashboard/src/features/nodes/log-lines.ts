export const MAX_LINES = 5_000;

export interface LogLine {
  id: number;
  text: string;
  level: 'debug' | 'info' | 'warning' | 'error' | undefined;
}

/** The level that the engine has written into a line. */
export const levelOf = (text: string): LogLine['level'] =>
  /\[(Debug|Info|Warning|Error)\]/i.exec(text)?.[1]?.toLowerCase() as LogLine['level'];

/** The last lines of a log, with new ones at the end. */
export function appended(lines: readonly LogLine[], texts: readonly string[]): LogLine[] {
  const first = (lines.at(-1)?.id ?? 0) + 1;
  return [...lines, ...texts.map((text, at) => ({ id: first + at, text, level: levelOf(text) }))].slice(-MAX_LINES);
}
