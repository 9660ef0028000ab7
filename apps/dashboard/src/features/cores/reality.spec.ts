import { describe, expect, it } from '@jest/globals';
import { hasRealityKey, publicKeysIn, realityInbound, realityKeys, withRealityKeys } from './reality';

const TEXT = `{
  // kept
  "inbounds": [
    { "tag": "plain" },
    { "tag": "first", "streamSettings": { "realitySettings": { "privateKey": "old", "shortIds": ["aa"] } } },
    { "tag": "second", "streamSettings": { "realitySettings": {} } }
  ]
}`;

describe('keys of REALITY', () => {
  it('are an X25519 pair and a short id, as the engine writes them', () => {
    const secret = Uint8Array.from({ length: 40 }, (_, at) => at);
    expect(realityKeys(secret)).toEqual({
      privateKey: 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8',
      publicKey: 'j0DFrbaPJWJK5bIU6nZ6bslNgp09e14a0bpvPiE4KF8',
      shortId: '2021222324252627',
    });
  });

  it('go to the inbound at the cursor, else to the first that has REALITY', () => {
    expect(realityInbound(TEXT, TEXT.indexOf('second'))).toBe(2);
    expect(realityInbound(TEXT, TEXT.indexOf('plain'))).toBe(1);
    expect(realityInbound('{ "inbounds": [{}] }', 0)).toBeUndefined();
  });

  it('may stand there already', () => {
    expect([0, 1, 2].map((index) => hasRealityKey(TEXT, index))).toEqual([false, true, false]);
  });

  it('replace those that stand there, and nothing else changes', () => {
    const after = withRealityKeys(TEXT, 1, { privateKey: 'new', publicKey: 'public', shortId: 'bb' });
    expect(after).toContain('"privateKey": "new"');
    expect(after).not.toContain('"aa"');
    expect(after).toContain('// kept');
    expect(after).toContain('{ "tag": "second", "streamSettings": { "realitySettings": {} } }');
  });

  it('are told by the private keys in a text, as far as there are any', () => {
    const settings = (privateKey: unknown) => ({ realitySettings: { privateKey } });
    const inbounds = [
      { tag: 'plain' },
      { tag: 'first', streamSettings: settings('AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8') },
      { tag: 'too short', streamSettings: settings('AAEC') },
      { tag: 'no text', streamSettings: settings(5) },
      null,
      { tag: 'empty', streamSettings: { realitySettings: null } },
      { streamSettings: settings('__________________________________________8') },
    ];
    expect(publicKeysIn(`// kept\n${JSON.stringify({ inbounds })}`)).toEqual([
      { tag: 'first', publicKey: 'j0DFrbaPJWJK5bIU6nZ6bslNgp09e14a0bpvPiE4KF8' },
      { tag: '', publicKey: expect.stringMatching(/^[\w-]{43}$/) },
    ]);
    for (const text of ['', '{', '[]', 'null', '{ "inbounds": {} }']) expect(publicKeysIn(text)).toEqual([]);
  });
});
