import { describe, expect, it } from '@jest/globals';
import { appended, levelOf, MAX_LINES } from './log-lines';

describe('the lines of a log', () => {
  it('the lines of a log have the level that the engine wrote', () => {
    expect(['2026/01/01 [Warning] core: x', '[Error] y', 'from 1.2.3.4 accepted'].map(levelOf)).toEqual([
      'warning',
      'error',
      undefined,
    ]);
  });

  it('the lines of a log are the last 5,000, under ids that never repeat', () => {
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
