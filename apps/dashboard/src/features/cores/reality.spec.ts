import { describe, expect, it } from '@jest/globals';
import { hasRealityKey, realityInbound, realityKeys, withRealityKeys } from './reality';

const TEXT = `{
  // kept
  "inbounds": [
    { "tag": "plain" },
    { "tag": "first", "streamSettings": { "realitySettings": { "privateKey": "old", "shortIds": ["aa"] } } },
    { "tag": "second", "streamSettings": { "realitySettings": {} } }
  ]
}`;

describe('keys of REALITY', () => {
  it('keys of REALITY are an X25519 pair and a short id, as the engine writes them', () => {
    const secret = Uint8Array.from({ length: 40 }, (_, at) => at);
    expect(realityKeys(secret)).toEqual({
      privateKey: 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8',
      publicKey: 'j0DFrbaPJWJK5bIU6nZ6bslNgp09e14a0bpvPiE4KF8',
      shortId: '2021222324252627',
    });
  });

  it('keys of REALITY go to the inbound at the cursor, else to the first that has REALITY', () => {
    expect(realityInbound(TEXT, TEXT.indexOf('second'))).toBe(2);
    expect(realityInbound(TEXT, TEXT.indexOf('plain'))).toBe(1);
    expect(realityInbound('{ "inbounds": [{}] }', 0)).toBeUndefined();
  });

  it('keys of REALITY may stand there already', () => {
    expect([0, 1, 2].map((index) => hasRealityKey(TEXT, index))).toEqual([false, true, false]);
  });

  it('keys of REALITY replace those that stand there, and nothing else changes', () => {
    const after = withRealityKeys(TEXT, 1, { privateKey: 'new', publicKey: 'public', shortId: 'bb' });
    expect(after).toContain('"privateKey": "new"');
    expect(after).not.toContain('"aa"');
    expect(after).toContain('// kept');
    expect(after).toContain('{ "tag": "second", "streamSettings": { "realitySettings": {} } }');
  });
});
