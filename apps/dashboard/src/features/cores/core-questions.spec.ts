import { describe, expect, it } from '@jest/globals';
import type { CoreDifference } from '../../api/types';
import { startLanguage } from '../../ui/i18n/i18n';
import { questionsAbout } from './core-questions';

const difference = (values: Partial<CoreDifference>) =>
  ({ added: [], changed: ['tls'], removed: [], hosts: [{ id: 1 }], users: 2, nodes: [], ...values }) as never;
const node = { id: 1, name: 'near', cut_reason: null };

describe(questionsAbout.name, () => {
  it('asks before a core is applied or only saved, when a node runs it', async () => {
    await startLanguage('en');
    const { apply, saveOnly } = questionsAbout(difference({ nodes: [node] as never }));
    expect([apply?.title, saveOnly !== undefined]).toEqual(['Apply on the nodes?', true]);
  });

  it('asks nothing about a core that no node runs', () => {
    expect(questionsAbout(difference({}))).toEqual({ apply: undefined, saveOnly: undefined });
  });

  it('asks before a core is applied whose difference is not known', () => {
    expect(questionsAbout(undefined).apply).toBeDefined();
  });
});
