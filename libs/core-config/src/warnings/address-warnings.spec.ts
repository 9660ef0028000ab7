import { describe, expect, it } from '@jest/globals';
import { parseCoreConfig } from '../parse-core-config.js';
import { core, type Json, reality, vless } from '../testing/core.js';

const LIST = 'inbounds[0].streamSettings.sockopt.trustedXForwardedFor';
const warnings = (stream: Json, change: Json = {}, others: readonly Json[] = [], engineVersions: string[] = []) =>
  parseCoreConfig(core(vless({ streamSettings: stream, ...change }), ...others), { engineVersions }).warnings;
const codes = (...given: Parameters<typeof warnings>) => warnings(...given).map(({ code }) => code);

describe('warnings about the addresses of users', () => {
  it.each(['ws', 'httpupgrade', 'xhttp', 'splithttp'])(
    'an inbound over %s is warned of, because a CDN hides the addresses of users',
    (network) => {
      const message =
        'inbound in does not read X-Forwarded-For: behind a CDN or a proxy, users have its addresses until trustedXForwardedFor names a header that it adds; an empty list says that there is none';
      expect(warnings({ network })).toEqual([{ path: LIST, code: 'address_of_proxy', message }]);
    },
  );

  it.each<[string, Json, Json?]>([
    ['is told a header', { network: 'ws', sockopt: { trustedXForwardedFor: ['CF-Connecting-IP'] } }],
    ['is told that there is no proxy', { network: 'ws', sockopt: { trustedXForwardedFor: [] } }],
    ['has REALITY, with which there is none', { network: 'xhttp', ...reality() }],
    ['gets addresses by the PROXY protocol', { network: 'ws', sockopt: { acceptProxyProtocol: true } }],
    ['gets them by that of ws', { network: 'ws', wsSettings: { acceptProxyProtocol: true } }],
    ['is behind a proxy of the same machine', { network: 'ws' }, { listen: '127.0.0.1' }],
    ['is on a socket', { network: 'grpc' }, { listen: '/run/in.sock' }],
    ['has a transport without headers', { network: 'tcp' }],
    ['is not served', { network: 'http' }],
  ])('an inbound is not warned of when it %s', (...[, stream, change]) => {
    expect(codes(stream, change).filter((code) => code.startsWith('address'))).toEqual([]);
  });

  it.each<[string, Json, Json[]]>([
    ['has TLS', { network: 'ws', security: 'tls' }, []],
    [
      'is behind a fallback',
      { network: 'ws' },
      [vless({ tag: 'parent', port: 444, settings: { decryption: 'none', fallbacks: [{ dest: '127.0.0.1:443' }] } })],
    ],
  ])('an inbound of the same machine is warned of when it %s', (_, stream, others) => {
    expect(codes(stream, { listen: '127.0.0.1' }, others)).toContain('address_of_proxy');
  });

  it('a list with the header of the address itself is warned of: everybody is believed', () => {
    const message =
      'inbound in believes X-Forwarded-For because it is there, whoever sends it: users can forge their addresses; name a header that only your proxy adds';
    const stream = { network: 'ws', sockopt: { trustedXForwardedFor: ['X-My-CDN', 'x-forwarded-for'] } };
    expect(warnings(stream)).toEqual([{ path: LIST, code: 'address_forgeable', message }]);
    expect(warnings(stream, { listen: '127.0.0.1' })).toEqual([]);
  });

  it('security row 75: an inbound over grpc is warned of, unless all engines are new enough', () => {
    const message =
      'engines before 26.6.22 take the address of a user of inbound in from X-Real-IP, whoever sends it: users can forge their addresses there, as over no other transport';
    const path = 'inbounds[0].streamSettings.network';
    const expected = [{ path, code: 'address_forgeable', message }];
    expect(warnings({ network: 'grpc' })).toEqual(expected);
    expect(warnings({ network: 'grpc', ...reality() }, {}, [], ['26.6.22', '26.6.1'])).toEqual(expected);
    expect(codes({ network: 'grpc', ...reality() }, {}, [], ['26.6.22', '26.7.28'])).toEqual([]);
    expect(codes({ network: 'grpc' }, {}, [], ['26.6.22'])).toEqual(['address_of_proxy']);
  });

  it.each([['X-My-CDN'], [{}], [[7]]])('a list of headers that is %j is refused', (trustedXForwardedFor) => {
    expect(() => warnings({ network: 'ws', sockopt: { trustedXForwardedFor } })).toThrow(
      /^inbounds\[0\]\.streamSettings\.sockopt\.trustedXForwardedFor(\[0\])? must be a (list|string)$/,
    );
  });
});
