import { beforeAll, describe, expect, it } from '@jest/globals';
import { startLanguage } from '../../../ui/i18n/i18n';
import { doneWords } from './done-words';

beforeAll(() => startLanguage('en'));

describe('what a change of many users has done', () => {
  it('is told with those who stayed as they were, if there are any', () => {
    expect(doneWords(10, 10)).toBe('10 users were changed');
    expect(doneWords(1, 3)).toBe('1 user was changed · 2 stayed as they were');
    // The list has grown since it was counted.
    expect(doneWords(4, 3)).toBe('4 users were changed');
  });
});
