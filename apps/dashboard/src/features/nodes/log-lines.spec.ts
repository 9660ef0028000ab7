import { describe, expect, it } from '@jest/globals';
import { appended, filtered, levelOf, MAX_LINES } from './log-lines';

describe('the lines of a log', () => {
  it('have the level that the engine wrote', () => {
    expect(['2026/01/01 [Warning] core: x', '[Error] y', 'from 1.2.3.4 accepted'].map(levelOf)).toEqual([
      'warning',
      'error',
      undefined,
    ]);
  });

  it('are shown by their text and their level', () => {
    const lines = appended(
      [],
      ['[Info] started', '[Warning] slow', '[rampart] [Warning] late', '[Error] GONE', 'open'],
    );
    const shown = (...[text, least]: [string, 'all' | 'warning' | 'error']) =>
      filtered(lines, text, least).map(({ text: line }) => line);
    expect(shown('', 'all')).toHaveLength(5);
    expect(shown('', 'warning')).toEqual(['[Warning] slow', '[rampart] [Warning] late', '[Error] GONE']);
    expect(shown('', 'error')).toEqual(['[Error] GONE']);
    expect(shown('Gone', 'warning')).toEqual(['[Error] GONE']);
    expect(shown('open', 'warning')).toEqual([]);
  });

  it('are the last 5,000, under ids that never repeat', () => {
    const many = appended(
      [],
      Array.from({ length: MAX_LINES }, (_, at) => `${at}`),
    );
    const after = appended(many, ['new']);
    expect([after.length, after[0]?.text, after.at(-1)]).toEqual([
      5000,
      '1',
      { id: 5001, text: 'new', level: undefined },
    ]);
  });
});
