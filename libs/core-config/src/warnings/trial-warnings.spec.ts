import { describe, expect, it } from '@jest/globals';
import { parseCoreConfig } from '../parse-core-config.js';
import { core, type Json, vless } from '../testing/core.js';

const KEY = Buffer.alloc(16).toString('base64');
const UDP =
  'stop nodes without a credential, by some packets in a second whose source can be forged, because the engine tries all users of the inbound for each packet and connection: use a 2022 method with network "tcp", or at least network "tcp", and limit new connections in the firewall';
const TCP =
  'keep nodes busy without a credential, by some hundred connections in a second, because the engine tries all users of the inbound for each: use a 2022 method with network "tcp", and limit new connections in the firewall';

describe('warnings of Shadowsocks whose users are tried', () => {
  const shadowsocks = (tag: string, settings?: Json) => ({
    ...{ tag, protocol: 'shadowsocks', port: 100 + Number(tag.slice(2)), settings },
  });
  const warnings = (...inbounds: readonly Json[]) =>
    parseCoreConfig(core(vless(), ...inbounds), { excludeTags: ['in9'] }).warnings;
  const warning = (path: string, who: string, what: string) => ({
    ...{ path, code: 'shadowsocks_trial', message: `whoever reaches ${who} can ${what}` },
  });

  it.each<[string, Json | undefined, string]>([
    ['a method of users, over both', { network: 'tcp,udp' }, UDP],
    ['a method of its own, over UDP alone', { network: ['UDP'], method: 'aes-128-gcm' }, UDP],
    ['a method of its own', { method: 'chacha20-ietf-poly1305', network: 'tcp' }, TCP],
    ['no settings', undefined, TCP],
  ])('security row 131: Shadowsocks with %s is warned of', (_, settings, what) => {
    expect(warnings(shadowsocks('in1', settings))).toEqual([warning('inbounds[1].settings', 'inbound in1', what)]);
  });

  it('those with UDP and those without have a warning each, which names up to five', () => {
    const many = Array.from({ length: 7 }, (_, index) => shadowsocks(`in${index + 10}`));
    expect(
      warnings(...many, shadowsocks('in1', { network: 'udp' }), shadowsocks('in2', { network: 'udp,tcp' })),
    ).toEqual([
      warning('inbounds[8].settings', 'inbounds in1, in2', UDP),
      warning('inbounds[1].settings', 'inbounds in10, in11, in12, in13, in14 and 2 more', TCP),
    ]);
  });

  it.each<[string, Json]>([
    ['a method of 2022', shadowsocks('in1', { method: '2022-blake3-aes-128-gcm', password: KEY, network: 'tcp,udp' })],
    ['another protocol', { ...shadowsocks('in1'), protocol: 'trojan' }],
    ['inbounds that users do not get', shadowsocks('in9', { network: 'tcp,udp' })],
  ])('%s is not warned of', (_, inbound) => {
    expect(warnings(inbound)).toEqual([]);
  });
});
