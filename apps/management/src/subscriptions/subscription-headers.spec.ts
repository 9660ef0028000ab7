import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SubscriptionSettings } from '../settings/subscription-settings.dto.js';
import { subscriptionHeaders } from './subscription-headers.js';

type Shown = Parameters<typeof subscriptionHeaders>[0];

const headersOf = (user: Partial<Shown['user']> = {}, settings: Partial<SubscriptionSettings> = {}, shown = {}) =>
  subscriptionHeaders({
    user: { username: 'alice', usedTraffic: 1, dataLimit: 2, expire: new Date(3_999), ...user },
    settings: { ...new SubscriptionSettings(), ...settings },
    url: 'https://panel.example/sub/x',
    title: 'Subscription',
    supportUrl: '',
    ...shown,
  });
const disposition = (headers: Record<string, string>) => String(headers['content-disposition']);
const base64 = (text: string) => `base64:${Buffer.from(text).toString('base64')}`;

describe('subscriptionHeaders', () => {
  it('are these by default', () => {
    expect(headersOf({})).toEqual({
      'content-disposition': 'attachment; filename="alice"',
      'profile-web-page-url': 'https://panel.example/sub/x',
      'profile-title': base64('Subscription'),
      'profile-update-interval': '12',
      'subscription-userinfo': 'upload=0; download=1; total=2; expire=3',
    });
  });

  it('follow the settings', () => {
    const settings = { update_interval: 2, announce: 'новости', announce_url: 'http://news.example' };
    const shown = { title: 'alice ⌛️', supportUrl: 'https://пример.example/чат' };
    expect(headersOf({}, settings, shown)).toMatchObject({
      'profile-title': base64('alice ⌛️'),
      'profile-update-interval': '2',
      'support-url': 'https://xn--e1afmkfd.example/%D1%87%D0%B0%D1%82',
      announce: base64('новости'),
      'announce-url': 'http://news.example/',
    });
  });

  it('take an address that is none as it is', () => {
    expect(headersOf({}, {}, { supportUrl: 'https://a:b:c' })['support-url']).toBe('https://a:b:c');
  });

  it.each([
    ['alice.1@x_y-z', 'attachment; filename="alice.1@x_y-z"'],
    ['Алиса', "attachment; filename*=UTF-8''%D0%90%D0%BB%D0%B8%D1%81%D0%B0"],
    [`a"b\r\nc'(*)!`, "attachment; filename*=UTF-8''a%22b%0D%0Ac%27%28%2A%29!"],
  ])('security row 16: name the file of %j in plain characters', (username, header) => {
    expect(headersOf({ username })['content-disposition']).toBe(header);
  });

  it('security row 16: carry any text through plain characters, and it can be read back', () => {
    const texts = fc.string({ unit: 'grapheme', minLength: 1 });
    fc.assert(
      fc.property(texts, texts, (username, text) => {
        const headers = headersOf({ username }, { announce: text }, { title: text });
        for (const value of Object.values(headers)) expect(value).toMatch(/^[\x20-\x7e]*$/);
        const [, name = ''] = /^attachment; (?:filename="|filename\*=UTF-8'')(.*?)"?$/.exec(disposition(headers)) ?? [];
        expect(decodeURIComponent(name)).toBe(username);
        expect([headers['profile-title'], headers['announce']]).toEqual([base64(text), base64(text)]);
      }),
    );
  });
});
