import { describe, expect, it } from '@jest/globals';
import { difference } from './difference.js';

const UUID = '0b8a5a3e-6a7a-4d58-9f8e-2f9d1b6d3a11';

describe(difference.name, () => {
  it('contains each changed member at any depth', () => {
    const before = { name: 'de', config: { inbounds: [{ tag: 'a', port: 443 }], log: null }, id: 5 };
    const after = { name: 'de', config: { inbounds: [{ tag: 'a', port: 8443 }, { tag: 'b' }] }, id: 5 };
    expect(difference(before, after)).toEqual({
      'config.inbounds.0.port': { before: 443, after: 8443 },
      'config.inbounds.1': { after: { tag: 'b' } },
      'config.log': { before: null },
    });
  });

  it('contains a list of names as a whole', () => {
    expect(difference({ tags: ['a', 'b'] }, { tags: ['b'] })).toEqual({ tags: { before: ['a', 'b'], after: ['b'] } });
  });

  it('contains all members of new and of deleted objects', () => {
    expect(difference(undefined, { id: 1, name: 'x' })).toEqual({ id: { after: 1 }, name: { after: 'x' } });
    expect(difference({ id: 1 }, undefined)).toEqual({ id: { before: 1 } });
  });

  it('is empty when nothing changed', () => {
    expect(difference({ at: new Date(0), id: undefined }, { at: '1970-01-01T00:00:00.000Z' })).toEqual({});
  });

  it.each([
    [{ password: 'a' }, { password: { after: '***' } }],
    [{ api_key: UUID }, { api_key: { after: '***' } }],
    [
      { proxy_settings: { vless: { id: UUID, flow: '' } } },
      { proxy_settings: { after: { vless: { id: '***', flow: '' } } } },
    ],
    [{ subscription_url: 'https://x/sub/t' }, { subscription_url: { after: '***' } }],
    [
      { streamSettings: { realitySettings: { privateKey: 'p', shortIds: ['ab'] } } },
      { streamSettings: { after: { realitySettings: { privateKey: '***', shortIds: ['ab'] } } } },
    ],
    [
      { certificates: [{ certificate: ['c'], key: ['k', 'l'] }] },
      { certificates: { after: [{ certificate: ['c'], key: '***' }] } },
    ],
    [{ clients: [{ id: UUID, email: 'a' }] }, { clients: { after: [{ id: '***', email: 'a' }] } }],
    [{ anything: UUID }, { anything: { after: '***' } }],
    [
      { id: 7, token: null, key: '' },
      { id: { after: 7 }, token: { after: null }, key: { after: '' } },
    ],
  ])('masks the secrets of %j', (after, expected) => {
    expect(difference(undefined, after)).toEqual(expected);
  });

  it.each([
    [
      {
        http_headers: {
          Authorization: 'Basic c2Vj',
          'proxy-authorization': 'x',
          'Set-Cookie': 'a=b',
          Host: 'a.example',
        },
      },
      { Authorization: '***', 'proxy-authorization': '***', 'Set-Cookie': '***', Host: 'a.example' },
    ],
    [
      {
        http_headers: { 'X-Access-Token': 't', clientSecret: 's', MY_PASSWORD_2: 'p', 'X-Api-Key': 'k', accept: '*/*' },
      },
      { 'X-Access-Token': '***', clientSecret: '***', MY_PASSWORD_2: '***', 'X-Api-Key': '***', accept: '*/*' },
    ],
    [
      { http_headers: { deep: [{ Cookie: ['a=b', 'c=d'] }, { tokens: { web: 't' } }], token: '', secret: null } },
      { deep: [{ Cookie: '***' }, { tokens: '***' }], token: '', secret: null },
    ],
    [
      {
        http_headers: [
          { name: 'Cookie', value: 'a=b' },
          { name: 'Accept', value: '*/*' },
        ],
      },
      [
        { name: 'Cookie', value: '***' },
        { name: 'Accept', value: '*/*' },
      ],
    ],
    [{ http_headers: [{ key: 'Authorization', value: 'x' }] }, [{ key: '***', value: '***' }]],
  ])('masks members of free-form documents by words in their names: %j', (after, expected) => {
    expect(difference(undefined, after)).toEqual({ http_headers: { after: expected } });
  });

  it('masks a changed secret of a free-form document at any depth, but shows that it changed', () => {
    const before = { config: { tokens: { web: { value: 'a' } }, headers: [{ name: 'X-Secret', value: 'a' }], n: 1 } };
    const after = { config: { tokens: { web: { value: 'b' } }, headers: [{ name: 'X-Secret', value: 'b' }], n: 2 } };
    expect(difference(before, after)).toEqual({
      'config.tokens': { before: '***', after: '***' },
      'config.headers.0.value': { before: '***', after: '***' },
      'config.n': { before: 1, after: 2 },
    });
  });

  it('masks a secret of which only one line changed', () => {
    const before = { certificates: [{ key: ['begin', 'one'] }] };
    const after = { certificates: [{ key: ['begin', 'two'] }] };
    expect(difference(before, after)).toEqual({ 'certificates.0.key': { before: '***', after: '***' } });
  });

  it('shows the beginning of a long value, and its length', () => {
    const shown = `"${'x'.repeat(399)}… (5002 characters)`;
    expect(difference(undefined, { note: 'x'.repeat(5_000) })).toEqual({ note: { after: shown } });
  });

  it('ends the beginning of a long value with no half of a surrogate pair, which the database refuses', () => {
    const [shown] = Object.values(difference(undefined, { note: `x${'😀'.repeat(3_000)}` }));
    expect(String(shown?.after).isWellFormed()).toBe(true);
  });
});

describe('security row 112: changes that hide others in the log', () => {
  const rule = (domain: string) => ({ type: 'field', domain: [domain], outboundTag: 'direct' });
  const config = (rules: number, shift: string, ...more: object[]) => ({
    config: {
      routing: { rules: Array.from({ length: rules }, (_, index) => rule(`${shift}${index}.example`)) },
      outbounds: [{ tag: 'direct', protocol: 'freedom' }, ...more],
    },
  });
  const theft = { tag: 'out', protocol: 'socks', settings: { address: '203.0.113.66', port: 1080 } };

  it.each([250, 5_000])('%i changed rules do not hide a new outbound', (rules) => {
    const found = difference(config(rules, 'a'), config(rules, 'b', theft));
    expect(found).toMatchObject({ 'config.outbounds.1': { after: theft } });
    expect(Object.keys(found).length).toBeLessThanOrEqual(1_000);
    expect(JSON.stringify(found).length).toBeLessThan(2_000_000);
  });

  it('say how many they are where there are too many', () => {
    const found = difference(config(5_000, 'a'), config(5_000, 'b', theft));
    expect(Object.keys(found)).toEqual(['config.routing.rules', 'config.outbounds.1']);
    expect(found['config.routing.rules']?.after).toMatch(/^\[\{"type":"field",.*… \(\d+ characters, 5000 changes\)$/);
  });

  it('are shown by their members where a new one is long', () => {
    const long = { ...theft, comment: 'x'.repeat(3_000) };
    expect(difference(config(1, 'a'), config(1, 'a', long))).toMatchObject({
      'config.outbounds.1.settings': { after: { address: '203.0.113.66', port: 1080 } },
      'config.outbounds.1.comment': { after: expect.stringContaining('(3002 characters)') },
    });
    expect(difference(undefined, config(100, 'a', theft))).toMatchObject({
      'config.outbounds': { after: [{}, theft] },
    });
  });

  it('of a long list of names show those that came and went', () => {
    const names = Array.from({ length: 1_000 }, (_, index) => `a${index}.example`);
    expect(difference({ domain: names }, { domain: [...names.slice(1), 'bank.example'] })).toEqual({
      domain: { before: ['a0.example'], after: ['bank.example'] },
    });
  });

  it('are not replaced by a member whose name looks like their path', () => {
    expect(Object.values(difference({ a: { b: 1 }, 'a.b': 1 }, { a: { b: 2 }, 'a.b': 3 }))).toEqual([
      { before: 1, after: 2 },
      { before: 1, after: 3 },
    ]);
  });

  it('have names of a bounded length, and each its own', () => {
    const name = 'n'.repeat(5_000);
    const found = difference({}, { [`${name}1`]: 1, [`${name}2`]: 2 });
    expect(Object.values(found)).toEqual([{ after: 1 }, { after: 2 }]);
    for (const path of Object.keys(found)) expect(path.length).toBeLessThan(320);
  });
});
