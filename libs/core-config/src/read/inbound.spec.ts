import { describe, expect, it } from '@jest/globals';
import type { Json } from '../testing/core.js';
import type { Inbound } from './inbound.js';
import { NETWORK_FACTS } from './networks.js';
import { readConfig } from './read-config.js';

const read = (inbound: Json): Inbound | undefined =>
  readConfig({ inbounds: [{ tag: 'in', protocol: 'vless', ...inbound }] }).inbounds[0];
const refusal = (inbound: Json) => {
  try {
    read(inbound);
  } catch (error) {
    const { message, path } = error as { message: string; path: string };
    return { message, path };
  }
  throw new Error('the inbound was read');
};

describe('readInbound', () => {
  it('returns typed fields, and the tree with all other members', () => {
    const inbound = {
      Tag: 'a',
      Protocol: 'VLESS',
      PORT: '80,443-445',
      future: { Tag: 1 },
      StreamSettings: { Network: 'SplitHTTP' },
    };
    expect(readConfig({ Inbounds: [inbound] })).toEqual({
      tree: { inbounds: [expect.objectContaining({ tag: 'a', future: { Tag: 1 } })] },
      inbounds: [
        {
          path: 'inbounds[0]',
          tree: {
            tag: 'a',
            protocol: 'VLESS',
            port: '80,443-445',
            future: { Tag: 1 },
            streamSettings: { network: 'SplitHTTP' },
          },
          tag: 'a',
          protocol: 'vless',
          listen: { address: '', isSocket: false },
          ports: [
            { from: 80, to: 80 },
            { from: 443, to: 445 },
          ],
          network: 'xhttp',
          security: 'none',
          transports: ['tcp'],
          handover: 'gapped',
          keepsStreaming: true,
          spreadsSessions: true,
          vision: false,
        },
      ],
    });
  });

  it.each(Object.entries(NETWORK_FACTS).flatMap(([network, { aliases }]) => aliases.map((alias) => [alias, network])))(
    'knows the transport %s as %s, in any case',
    (alias, network) => {
      expect(read({ streamSettings: { network: alias } })?.network).toBe(network);
      expect(read({ streamSettings: { NETWORK: alias.toUpperCase() } })?.network).toBe(network);
    },
  );

  it.each<[string, Json, Inbound['transports']]>([
    ['an ordinary inbound', {}, ['tcp']],
    ['kcp', { streamSettings: { network: 'mkcp' } }, ['udp']],
    [
      'xhttp over HTTP/3',
      { streamSettings: { network: 'xhttp', security: 'tls', tlsSettings: { alpn: 'h3' } } },
      ['udp'],
    ],
    [
      'xhttp over all versions',
      { streamSettings: { network: 'xhttp', security: 'tls', tlsSettings: { alpn: 'h3,h2' } } },
      ['tcp'],
    ],
    ['shadowsocks', { protocol: 'shadowsocks' }, ['tcp']],
    ['shadowsocks with both', { protocol: 'shadowsocks', settings: { network: 'TCP, udp' } }, ['tcp', 'udp']],
    ['shadowsocks over UDP alone', { protocol: 'shadowsocks', settings: { network: 'UDP' } }, ['udp']],
    ['a tunnel with both', { protocol: 'tunnel', settings: { network: ['udp', 'tcp'] } }, ['tcp', 'udp']],
    ['dokodemo-door with both', { protocol: 'dokodemo-door', settings: { network: 'tcp,udp' } }, ['tcp', 'udp']],
    ['a protocol that has no such setting', { protocol: 'http', settings: { network: 'udp' } }, ['tcp']],
    ['mixed with UDP', { protocol: 'mixed', settings: { udp: true } }, ['tcp', 'udp']],
    ['socks without UDP', { protocol: 'socks', settings: { udp: false } }, ['tcp']],
    ['wireguard', { protocol: 'wireguard' }, ['udp']],
    ['tun', { protocol: 'tun' }, ['udp']],
    [
      'ws with the ALPN of HTTP/3',
      { streamSettings: { network: 'ws', security: 'tls', tlsSettings: { alpn: 'h3' } } },
      ['tcp'],
    ],
    [
      'xhttp with this ALPN, but without TLS',
      { streamSettings: { network: 'xhttp', tlsSettings: { alpn: 'h3' } } },
      ['tcp'],
    ],
    [
      'xhttp over HTTP/2',
      { streamSettings: { network: 'xhttp', security: 'tls', tlsSettings: { alpn: 'h2' } } },
      ['tcp'],
    ],
    ['socks with UDP', { protocol: 'socks', settings: { UDP: true } }, ['tcp', 'udp']],
    ['hysteria', { protocol: 'hysteria' }, ['udp']],
  ])('returns the transport protocols on which %s listens', (_, inbound, transports) => {
    expect(read(inbound)?.transports).toEqual(transports);
  });

  it.each<[Json, boolean, boolean]>([
    [{ network: 'xhttp' }, true, true],
    [{ network: 'xhttp', security: 'reality' }, true, false],
    [{ network: 'xhttp', security: 'tls' }, true, false],
    [{ network: 'xhttp', security: 'tls', tlsSettings: { alpn: ['HTTP/1.1', 'h3'] } }, true, true],
    [{ network: 'xhttp', security: 'tls', tlsSettings: { alpn: ['http/1.1', 'H2'] } }, true, false],
    [{ network: 'xhttp', security: 'tls', tlsSettings: { alpn: ['h3'] } }, true, false],
    [{ network: 'ws' }, false, false],
  ])(
    'returns of %j whether it keeps streams, and spreads a session over connections',
    (streamSettings, keeps, spreads) => {
      const { keepsStreaming, spreadsSessions } = read({ streamSettings }) ?? {};
      expect([keepsStreaming, spreadsSessions]).toEqual([keeps, spreads]);
    },
  );

  it.each<[string, Json, boolean]>([
    ['raw TLS', { streamSettings: { network: 'raw', security: 'TLS' } }, true],
    ['raw REALITY', { streamSettings: { security: 'reality' } }, true],
    ['plain raw', {}, false],
    ['plain raw below VLESS encryption', { settings: { decryption: 'mlkem' } }, true],
    ['an encryption that only clients are told of', { settings: { encryption: 'mlkem' } }, false],
    ['an HTTP header', { streamSettings: { security: 'tls', tcpSettings: { header: { Type: 'HTTP' } } } }, false],
    ['another protocol', { protocol: 'trojan', streamSettings: { security: 'tls' } }, false],
  ])('returns whether vision works on %s', (_, inbound, vision) => {
    expect(read(inbound)?.vision).toBe(vision);
  });

  it.each<[Json, Inbound['handover']]>([
    ...['tcp', 'ws', 'httpupgrade'].map((network): [Json, 'shared'] => [{ streamSettings: { network } }, 'shared']),
    ...['grpc', 'xhttp', 'kcp'].map((network): [Json, 'gapped'] => [{ streamSettings: { network } }, 'gapped']),
    ...['quic', 'http', 'h2', 'h3', 'hysteria', 'unknown'].map((network): [Json, 'restart'] => [
      { streamSettings: { network } },
      'restart',
    ]),
    ...['vmess', 'trojan', 'shadowsocks', 'socks', 'http', 'mixed', 'dokodemo-door', 'tunnel'].map(
      (protocol): [Json, 'shared'] => [{ protocol }, 'shared'],
    ),
    [{ protocol: 'wireguard' }, 'restart'],
    [{ tag: '' }, 'restart'],
    [{ listen: '/run/in.sock' }, 'gapped'],
    [{ streamSettings: { network: 'xhttp', security: 'tls', tlsSettings: { alpn: ['h3'] } } }, 'restart'],
  ])('returns how %j is handed over: %s', (inbound, handover) => {
    expect(read(inbound)?.handover).toBe(handover);
  });

  it.each<[Json, Inbound['ports']]>([
    [{ port: '80,' }, [{ from: 80, to: 80 }]],
    [{ port: 0, listen: '@in' }, []],
    [{ port: 'any', protocol: 'tun' }, []],
    [{ port: null }, []],
  ])('reads the ports of %j as the engine does', (inbound, ports) => {
    expect(read(inbound)?.ports).toEqual(ports);
  });

  const port = 'inbounds[0].port must be a port (1-65535), a list "80,443" or a range "1000-1010"';
  it.each<[Json, string, string]>([
    [{ port: 0 }, 'port', port],
    [{ port: 70_000 }, 'port', port],
    [{ port: '10-5' }, 'port', port],
    [{ listen: 7 }, 'listen', 'inbounds[0].listen must be a string'],
    [{ tag: 7 }, 'tag', 'inbounds[0].tag must be a string'],
    [
      { streamSettings: { sockopt: { trustedXForwardedFor: 'X-A' } } },
      'streamSettings.sockopt.trustedXForwardedFor',
      'inbounds[0].streamSettings.sockopt.trustedXForwardedFor must be a list',
    ],
    [{ settings: [] }, 'settings', 'inbounds[0].settings must be an object'],
    [{ streamSettings: 'tls' }, 'streamSettings', 'inbounds[0].streamSettings must be an object'],
    [
      { streamSettings: { tlsSettings: { certificates: [7] } } },
      'streamSettings.tlsSettings.certificates[0]',
      'inbounds[0].streamSettings.tlsSettings.certificates[0] must be an object',
    ],
    [
      { streamSettings: { finalmask: [] } },
      'streamSettings.finalmask',
      'inbounds[0].streamSettings.finalmask must be an object',
    ],
    [
      { listen: '/run/in.sock,999' },
      'listen',
      'inbound "in": listen "/run/in.sock,999" must be a path, or a path, a comma and a mode like 0666',
    ],
    [
      { listen: `/${'x'.repeat(107)}` },
      'listen',
      `inbound "in": the path /${'x'.repeat(107)} is longer than the 107 bytes that a socket may have`,
    ],
  ])('refuses %j', (inbound, path, message) => {
    expect(refusal(inbound)).toEqual({ path: `inbounds[0].${path}`, message });
  });
});
