import { describe, expect, it } from '@jest/globals';
import { SubscriptionRule } from '../settings/subscription-rule.dto.js';
import { singBoxVersion } from './client.js';
import { ruleFor } from './client-rules.js';

describe(singBoxVersion, () => {
  it.each([
    ['sing-box 1.11.4', '1.11.4'],
    ['sing-box/1.13.0-beta.2', '1.13.0'],
    ['SFA/1.12.0 (Build 512; sing-box 1.12.1; language en_US)', '1.12.1'],
    ['SFI/1.11.15', '1.11.15'],
    ['HiddifyNext/2.5.7 (android) like ClashMeta v2ray sing-box', undefined],
    ['Karing/1.1.2', undefined],
    ['', undefined],
    ['sing-box '.repeat(100_000), undefined],
  ])('of %.60s is %s', (userAgent, version) => {
    expect(singBoxVersion(userAgent)).toBe(version);
  });
});

describe(ruleFor, () => {
  const rules = (...patterns: string[]) =>
    patterns.map((pattern) => Object.assign(new SubscriptionRule(), { pattern, target: 'links' }));

  it('takes the first rule that fits the beginning', () => {
    const list = rules('b', 'App', 'A', '.*');
    expect(ruleFor(list, 'App/b')).toBe(list[1]);
    expect(ruleFor(list, 'abc')).toBe(list[3]);
    expect(ruleFor(list.slice(0, 3), 'abc')).toBeUndefined();
  });

  it('passes over a stored pattern that is none', () => {
    const list = rules('(?=a)', 'a');
    expect(ruleFor(list, 'a')).toBe(list[1]);
  });

  it('security row 10: needs a time that grows with the text, whatever the pattern', () => {
    // Both take other engines minutes and more.
    for (const [pattern, text] of [
      ['^(a+)+$', `${'a'.repeat(255)}!`],
      ['(.*a){20}$', `${'a'.repeat(255)}!`],
    ] as const) {
      const list = rules(pattern);
      const started = performance.now();
      expect(ruleFor(list, text)).toBeUndefined();
      expect(performance.now() - started).toBeLessThan(1_000);
    }
  });
});
