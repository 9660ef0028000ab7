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
  ])('the sing-box version in %.60s is %s', (userAgent, version) => {
    expect(singBoxVersion(userAgent)).toBe(version);
  });
});

describe(ruleFor, () => {
  const rules = (...patterns: string[]) =>
    patterns.map((pattern, at) =>
      Object.assign(new SubscriptionRule(), { pattern, target: 'links', response_headers: { Rule: String(at) } }),
    );
  const found = (list: SubscriptionRule[], userAgent: string) => ruleFor(list, userAgent)?.headers;
  const headersOf = (text: string) => [['rule', [{ text }]]];

  it('ruleFor returns the first rule that matches the beginning of the User-Agent', () => {
    const list = rules('b', 'App', 'A', '.*');
    expect(found(list, 'App/b')).toEqual(headersOf('1'));
    expect(found(list, 'abc')).toEqual(headersOf('3'));
    expect(ruleFor(list.slice(0, 3), 'abc')).toBeUndefined();
  });

  it('ruleFor returns the same rule again after many other clients', () => {
    const list = rules('App/0$', 'App');
    const all = Array.from({ length: 1_002 }, (_, at) => `App/${at}`);
    for (const userAgent of [...all, ...all]) {
      expect(found(list, userAgent)).toEqual(headersOf(userAgent === 'App/0' ? '0' : '1'));
    }
  });

  it('ruleFor skips a stored pattern that is not valid', () => {
    const list = rules('(?=a)', 'a');
    expect(found(list, 'a')).toEqual(headersOf('1'));
  });

  it('a stored header with an invalid format string is sent unchanged', () => {
    const [rule] = rules('a');
    const list = [{ ...rule!, response_headers: { Rule: 'a { stray brace' } }];
    expect(found(list, 'a')).toEqual(headersOf('a { stray brace'));
  });

  it('security row 10: matching a rule takes time proportional to the text, whatever the pattern', () => {
    // Other engines need minutes or more for either of these patterns.
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
