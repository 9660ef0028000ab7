import { describe, expect, it } from '@jest/globals';
import { difference } from './difference.js';

const UUID = '0b8a5a3e-6a7a-4d58-9f8e-2f9d1b6d3a11';

describe('difference', () => {
  it('names each member that changed, however deep', () => {
    const before = { name: 'de', config: { inbounds: [{ tag: 'a', port: 443 }], log: null }, id: 5 };
    const after = { name: 'de', config: { inbounds: [{ tag: 'a', port: 8443 }, { tag: 'b' }] }, id: 5 };
    expect(difference(before, after)).toEqual({
      'config.inbounds.0.port': { before: 443, after: 8443 },
      'config.inbounds.1': { after: { tag: 'b' } },
      'config.log': { before: null },
    });
  });

  it('shows a list of names as a whole', () => {
    expect(difference({ tags: ['a', 'b'] }, { tags: ['b'] })).toEqual({ tags: { before: ['a', 'b'], after: ['b'] } });
  });

  it('shows all of what is new and of what is gone', () => {
    expect(difference(undefined, { id: 1, name: 'x' })).toEqual({ id: { after: 1 }, name: { after: 'x' } });
    expect(difference({ id: 1 }, undefined)).toEqual({ id: { before: 1 } });
  });

  it('is empty where nothing changed', () => {
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
  ])('covers the secrets of %j', (after, expected) => {
    expect(difference(undefined, after)).toEqual(expected);
  });

  it('covers a secret of which only a line changed', () => {
    const before = { certificates: [{ key: ['begin', 'one'] }] };
    const after = { certificates: [{ key: ['begin', 'two'] }] };
    expect(difference(before, after)).toEqual({ 'certificates.0.key': { before: '***', after: '***' } });
  });

  it('says of a long value how long it is, and of many changes that there are more', () => {
    expect(difference(undefined, { note: 'x'.repeat(5_000) })).toEqual({ note: { after: '… (5002 characters)' } });
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`m${n}`, n]));
    const entries = Object.entries(difference(undefined, many));
    expect(entries).toHaveLength(201);
    expect(entries.at(-1)).toEqual(['…', { after: 'more than 200 changes' }]);
  });
});
