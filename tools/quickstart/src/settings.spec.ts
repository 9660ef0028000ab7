import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { help, readSettings } from '../settings.mjs';

describe(readSettings.name, () => {
  it('has a default for every required setting', () => {
    expect(readSettings({})).toEqual({
      dataDir: resolve('data'),
      host: '0.0.0.0',
      port: 8000,
      nodePort: 62050,
      vlessPort: 8443,
      shadowsocksPort: 8388,
    });
  });

  it('reads all settings and treats an empty one as not set', () => {
    expect(
      readSettings({
        RAMPART_DATA_DIR: '/srv/rampart',
        RAMPART_HOST: '::1',
        RAMPART_PORT: '1',
        RAMPART_NODE_PORT: '65535',
        RAMPART_VLESS_PORT: '443',
        RAMPART_SHADOWSOCKS_PORT: '',
        RAMPART_PUBLIC_ADDRESS: '2001:db8::1',
        RAMPART_PUBLIC_URL: 'https://vpn.example.org/panel/',
        RAMPART_REALITY_TARGET: 'www.example.org:443',
      }),
    ).toEqual({
      dataDir: '/srv/rampart',
      host: '::1',
      port: 1,
      nodePort: 65535,
      vlessPort: 443,
      shadowsocksPort: 8388,
      publicAddress: '2001:db8::1',
      publicUrl: 'https://vpn.example.org/panel',
      realityTarget: 'www.example.org:443',
    });
  });

  it('reports every problem at once, with the setting and the expected value', () => {
    const wrong = () =>
      readSettings({
        RAMPART_PORT: 'abc',
        RAMPART_NODE_PORT: '65536',
        RAMPART_VLESS_PORT: '0',
        RAMPART_SHADOWSOCKS_PORT: '1e3',
        RAMPART_PUBLIC_ADDRESS: 'http://x',
        RAMPART_PUBLIC_URL: 'vpn.example.org',
        RAMPART_REALITY_TARGET: 'example.org:99999',
      });
    expect(wrong).toThrow(
      expect.objectContaining({
        isOperatorError: true,
        message: [
          'RAMPART_PORT must be a port from 1 to 65535; it is "abc"',
          'RAMPART_NODE_PORT must be a port from 1 to 65535; it is "65536"',
          'RAMPART_VLESS_PORT must be a port from 1 to 65535; it is "0"',
          'RAMPART_SHADOWSOCKS_PORT must be a port from 1 to 65535; it is "1e3"',
          'RAMPART_PUBLIC_ADDRESS must be an IP address or a domain name; it is "http://x"',
          'RAMPART_PUBLIC_URL must be an http or https URL without query; it is "vpn.example.org"',
          'RAMPART_REALITY_TARGET must be host:port of a site with TLS 1.3; it is "example.org:99999"',
        ].join('\n'),
      }),
    );
  });

  it.each(['localhost', 'a', 'xn--bcher-kva.example', '::1', '1.2.3.4', `${'a'.repeat(63)}.b-c.d1`])(
    'takes the address %j',
    (address) => expect(readSettings({ RAMPART_PUBLIC_ADDRESS: address })).toMatchObject({ publicAddress: address }),
  );

  it.each(['..', 'a..b', '-a', 'a-', 'a b', '1.2.3.999', '12', 'a'.repeat(64)])('refuses the address %j', (address) => {
    expect(() => readSettings({ RAMPART_PUBLIC_ADDRESS: address })).toThrow(
      `RAMPART_PUBLIC_ADDRESS must be an IP address or a domain name; it is "${address}"`,
    );
  });
});

describe('help', () => {
  it('the help names every setting with its default', () => {
    expect(help).toContain('  RAMPART_PORT              Port of the management API and of the subscriptions (8000)\n');
    expect(help.match(/^ {2}RAMPART_\w+/gm)).toHaveLength(9);
  });
});
