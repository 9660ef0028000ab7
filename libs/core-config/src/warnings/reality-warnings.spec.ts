import { describe, expect, it } from '@jest/globals';
import { parseCoreConfig } from '../parse-core-config.js';
import { core, type Json, reality, vless } from '../testing/core.js';

const SETTINGS = 'inbounds[0].streamSettings.realitySettings';
const warnings = (settings: Json = {}, engineVersions: string[] = []) =>
  parseCoreConfig(core(vless({ streamSettings: reality(settings) })), { engineVersions }).warnings;

describe('REALITY warnings', () => {
  it.each<[string, boolean]>([
    ['0.9.9', false],
    ['1.0.0', false],
    ['1', false],
    ['', false],
    ['1.0.1', true],
    ['26.3.27', true],
  ])('for minClientVer %j: %j', (minClientVer, told) => {
    const message = `minClientVer ${minClientVer} of inbound in locks out clients such as sing-box and mihomo: 1.0.0 does not`;
    const path = `${SETTINGS}.minClientVer`;
    expect(warnings({ minClientVer })).toEqual(told ? [{ path, code: 'reality_client_version', message }] : []);
  });

  it.each(['26.3.27', '26.7.11', '26.7.28'])(
    'a missing minClientVer is not warned of with engine %s, because nodes set it',
    (engine) => {
      expect(warnings({}, [engine])).toEqual([]);
    },
  );

  it('mention the key share that the newest engines demand', () => {
    const message =
      'engine 26.9.8 takes only clients with an X25519MLKEM768 key share on inbound in: sing-box, Karing, Shadowrocket and Exclave have none, Xray and mihomo have one with the fingerprint chrome';
    expect(warnings({}, ['26.3.27', '26.9.8', '26.10.1'])).toEqual([
      { path: SETTINGS, code: 'reality_key_share', message },
    ]);
    expect(warnings({}, ['26.9.7', 'unknown', ''])).toEqual([]);
  });

  it.each<[Json, string, string, string]>([
    [
      { mldsa65Verify: 'v' },
      'mldsa65Verify',
      'reality_mldsa65',
      'mldsa65Verify of inbound in stands without mldsa65Seed: clients that verify it cannot connect',
    ],
    [
      { fingerprint: 'android' },
      'fingerprint',
      'fingerprint_unusable',
      'fingerprint android of inbound in does not speak TLS 1.3: no client can connect with it',
    ],
  ])('mention %j in realitySettings', (settings, key, code, message) => {
    expect(warnings(settings)).toEqual([{ path: `${SETTINGS}.${key}`, code, message }]);
  });

  it('there are no REALITY warnings for an ordinary inbound', () => {
    // Subscriptions put a missing slash in front of a spiderX.
    expect(warnings({ mldsa65Verify: 'v', mldsa65Seed: 's', spiderX: 'x', fingerprint: 'firefox' })).toEqual([]);
  });
});
