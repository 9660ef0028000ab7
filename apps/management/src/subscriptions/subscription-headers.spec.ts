import { describe, expect, it } from '@jest/globals';
import { type FormatValues, parseFormat } from '@rampart/domain';
import fc from 'fast-check';
import { SubscriptionSettings } from '../settings/subscription-settings.dto.js';
import { ruleHeaders, subscriptionHeaders } from './subscription-headers.js';

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

describe(subscriptionHeaders.name, () => {
  it('the headers contain usage, title and interval by default', () => {
    expect(headersOf({})).toEqual({
      'content-disposition': 'attachment; filename="alice"',
      'profile-web-page-url': 'https://panel.example/sub/x',
      'profile-title': base64('Subscription'),
      'profile-update-interval': '12',
      'subscription-userinfo': 'upload=0; download=1; total=2; expire=3',
    });
  });

  it('the headers depend on the settings', () => {
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

  it('the headers contain a total of 0 when there is no limit, because some clients need one', () => {
    expect(headersOf({ dataLimit: 0, expire: null })['subscription-userinfo']).toBe(
      'upload=0; download=1; total=0; expire=0',
    );
  });

  it('the headers keep an invalid URL unchanged', () => {
    expect(headersOf({}, {}, { supportUrl: 'https://a:b:c' })['support-url']).toBe('https://a:b:c');
  });

  it.each([
    ['alice.1@x_y-z', 'attachment; filename="alice.1@x_y-z"'],
    ['Алиса', "attachment; filename*=UTF-8''%D0%90%D0%BB%D0%B8%D1%81%D0%B0"],
    [`a"b\r\nc'(*)!`, "attachment; filename*=UTF-8''a%22b%0D%0Ac%27%28%2A%29!"],
  ])('security row 16: the file name for %j has only plain characters', (username, header) => {
    expect(headersOf({ username })['content-disposition']).toBe(header);
  });

  it('security row 16: the headers encode any text in plain characters, and it can be read back', () => {
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

describe('the headers of a rule', () => {
  const rendered = (name: string, value: string, values: FormatValues = {}) =>
    ruleHeaders({ headers: [[name, parseFormat(value)]] }, values);

  it.each([
    ['x-user', '{USERNAME} of {ADMIN_USERNAME}', 'alice of root'],
    ['x-user', '{DATA_LEFT}', '<missing>'],
    ['x-json', '{{"a": "é"}}', '{"a": "é"}'],
    ['x-left', '{DAYS_LEFT} days', base64('∞ days')],
    ['profile-title', 'For {USERNAME}', base64('For alice')],
    ['announce', base64('done'), base64('done')],
    ['announce', 'base64:∞', base64('base64:∞')],
  ])('ruleHeaders renders the header %s from %s', (name, value, expected) => {
    const values = { USERNAME: 'alice', ADMIN_USERNAME: 'root', DAYS_LEFT: '∞' };
    expect(rendered(name, value, values)).toEqual({ [name]: expected });
  });

  it('security row 16: stay on one line with any values of the variables', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const { x } = rendered('x', '{ADMIN_USERNAME}\t', { ADMIN_USERNAME: text });
        expect(x).toMatch(/^[\t\x20-\x7e\xa0-\xff]*$/);
        expect(x?.startsWith('base64:') ? decoded(x) : x).toBe(`${text}\t`);
      }),
    );
    expect(rendered('x', '{ADMIN_USERNAME}', { ADMIN_USERNAME: 'a\r\nset-cookie: b' })).toEqual({
      x: base64('a\r\nset-cookie: b'),
    });
  });
});

it('security row 17: a value that looks like a format string is not parsed as one', () => {
  const headers = [['x', parseFormat('{{{USERNAME}}} {ADMIN_USERNAME}')]] as const;
  const values = { USERNAME: '{ADMIN_USERNAME}', ADMIN_USERNAME: '{{USERNAME.__class__}' };
  expect(ruleHeaders({ headers }, values)).toEqual({ x: '{{ADMIN_USERNAME}} {{USERNAME.__class__}' });
});

const decoded = (header: string): string => Buffer.from(header.slice('base64:'.length), 'base64').toString();
