import { beforeAll, describe, expect, it } from '@jest/globals';
import { startLanguage, withTexts } from '../../ui/i18n/i18n';
import { ACTIONS, actionWords, actorWords, KINDS } from './audit-actions';

beforeAll(async () => {
  await startLanguage('en');
  await withTexts('audit', Promise.resolve());
});

describe(actionWords.name, () => {
  it('has words for every action that can be chosen', () => {
    const all = KINDS.flatMap((kind) => ACTIONS[kind].map((verb) => `${kind}.${verb}`));
    expect(all.filter((action) => actionWords(action) === action)).toEqual([]);
    expect(actionWords('core.modify')).toBe('Core changed');
  });

  it('leaves what it does not know as it is', () => {
    expect(['user.vanish', 'user', 'a.b.c', '', '—'].map(actionWords)).toEqual([
      'user.vanish',
      'user',
      'a.b.c',
      '',
      '—',
    ]);
  });
});

describe(actorWords.name, () => {
  it('names who is no admin, and leaves admins their names', () => {
    expect(actorWords({ actor: 'system', actor_id: null })).toBe('Rampart itself');
    expect(actorWords({ actor: '(unauthenticated)', actor_id: null })).toBe('Not logged in');
    expect(actorWords({ actor: 'local', actor_id: 3 })).toBe('local');
    expect(actorWords({ actor: 'deleted', actor_id: null })).toBe('deleted');
  });
});
