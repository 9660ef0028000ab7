import { describe, expect, it } from '@jest/globals';
import { compilePattern } from './client-pattern.js';
import { DEFAULT_RULES } from './subscription-rule.dto.js';

const targetOf = (userAgent: string) =>
  DEFAULT_RULES.find(({ pattern }) => compilePattern(pattern)?.matcher(userAgent).lookingAt())?.target;

describe(compilePattern.name, () => {
  it.each(['(?=a)', '(?!a)', '(a)\\1', '(?<=a)b', '(', 'a{1001}', '(a{1000}){1000}', '[^a]{900}[^b]{900}[^c]{900}'])(
    'security row 10: refuses %s when it is saved',
    (text) => expect(compilePattern(text)).toBeUndefined(),
  );

  it('security row 10: matching terminates for a pattern on which other engines hang', () => {
    const pattern = compilePattern('^(a+)+$');
    expect(pattern?.matcher(`${'a'.repeat(255)}!`).lookingAt()).toBe(false);
  });
});

describe('DEFAULT_RULES', () => {
  it('distinguish all new clients (clients.md 44)', () => {
    expect(targetOf('InHive/1.0 (Android; like sing-box)')).toBe('xray');
    expect(targetOf('InHive')).toBe('xray');
  });

  it.each([
    ['clash-verge/v2.0.0', 'clash_meta'],
    ['Clash.Verge/1.0', 'clash_meta'],
    ['ClashMetaForAndroid/2.11', 'clash_meta'],
    ['clash.meta', 'clash_meta'],
    ['FlClash X/v0.8', 'clash_meta'],
    ['mihomo/1.19', 'clash_meta'],
    ['ClashX Meta/1.4', 'clash_meta'],
    ['ClashX/1.95', 'clash'],
    ['Stash/2.4', 'clash'],
    ['SFA/1.12 (sing-box 1.12.0)', 'sing_box'],
    ['sing-box 1.13', 'sing_box'],
    ['singbox', 'sing_box'],
    ['MyApp (sing-box 1.12)', 'sing_box'],
    ['HiddifyNext/2.5', 'sing_box'],
    ['Karing/1.0', 'sing_box'],
    ['Outline/1.0', 'outline'],
    ['Shadowsocks/5.3', 'outline'],
    ['SSR', 'outline'],
    ['InHive/1', 'xray'],
    ['Shadowrocket/2070', 'links_base64'],
    ['v2rayNG/1.10', 'links_base64'],
    ['Mozilla/5.0 clash', 'links_base64'],
    ['', 'links_base64'],
  ])('give the client %j the format %s', (userAgent, target) => {
    expect(targetOf(userAgent)).toBe(target);
  });
});
