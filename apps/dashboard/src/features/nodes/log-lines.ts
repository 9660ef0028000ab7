export const MAX_LINES = 5_000;

type Level = 'debug' | 'info' | 'warning' | 'error';

export interface LogLine {
  id: number;
  text: string;
  level: Level | undefined;
}

/** Which lines are shown: all, or those of which the engine or the node says that they are at least warnings, or errors. */
export type LeastLevel = 'all' | 'warning' | 'error';

const SHOWN_LEVELS: Readonly<Record<Exclude<LeastLevel, 'all'>, readonly (Level | undefined)[]>> = {
  warning: ['warning', 'error'],
  error: ['error'],
};

/** The level that the engine or the node has written into a line. */
export const levelOf = (text: string): LogLine['level'] =>
  /\[(Debug|Info|Warning|Error)\]/i.exec(text)?.[1]?.toLowerCase() as LogLine['level'];

/** The lines of at least this level with this text, in any case. */
export const filtered = (lines: readonly LogLine[], text: string, least: LeastLevel): LogLine[] => {
  const wanted = text.toLowerCase();
  return lines.filter(
    (line) => (least === 'all' || SHOWN_LEVELS[least].includes(line.level)) && line.text.toLowerCase().includes(wanted),
  );
};

/** The last lines of a log, with new ones at the end. */
export function appended(lines: readonly LogLine[], texts: readonly string[]): LogLine[] {
  const first = (lines.at(-1)?.id ?? 0) + 1;
  return [...lines, ...texts.map((text, at) => ({ id: first + at, text, level: levelOf(text) }))].slice(-MAX_LINES);
}
