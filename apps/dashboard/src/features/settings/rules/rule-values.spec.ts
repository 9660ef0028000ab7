import { describe, expect, it } from '@jest/globals';
import type { SubscriptionRule } from '../../../api/types';
import type { StoredSettings } from '../settings-queries';
import { rulesBody, rulesValues, wrongHeader } from './rule-values';

describe('the form of rules', () => {
  it('shows headers as lines, and saves them as they were', () => {
    const rules: SubscriptionRule[] = [
      { pattern: 'Happ', target: 'xray', response_headers: { routing: 'happ://a:b', 'x-a': '1' } },
      { pattern: '.*', target: 'block' },
    ];
    const values = rulesValues({ subscription: { rules } } as unknown as StoredSettings);
    expect(values.rules.map(({ headers }) => headers)).toEqual(['routing: happ://a:b\nx-a: 1', '']);
    expect(rulesBody(values)).toEqual(rules);
  });

  it('names the first line that is no header', () => {
    expect(wrongHeader('a: 1\n\nb b: 2\nc')).toBe('b b: 2');
    expect(wrongHeader(' a:1 \n')).toBeUndefined();
  });
});
