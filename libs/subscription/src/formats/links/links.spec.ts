import { describe, expect, it } from '@jest/globals';
import { parseLink } from '@rampart/testing';
import fc from 'fast-check';
import type { ResolvedProxy } from '../../model/resolved-proxy.js';
import {
  proxy,
  reality,
  SHADOWSOCKS,
  SHADOWSOCKS_2022,
  TROJAN,
  tls,
  transport,
  VLESS,
  VMESS,
} from '../../testing/proxy.js';
import { renderText } from '../../testing/render-text.js';

const TLS = tls({ alpn: ['h2', 'http/1.1'], fingerprint: 'firefox' });
const REALITY = reality({ spiderX: '/s?p=1' });

const renderLinks = (proxies: readonly ResolvedProxy[]) => renderText('links', proxies).body;
const renderLinksBase64 = (proxies: readonly ResolvedProxy[]) => renderText('links_base64', proxies).body;
const link = (change: Partial<ResolvedProxy>) => renderLinks([proxy(change)]);
const vmess = (change: Partial<ResolvedProxy>) =>
  Buffer.from(link({ protocol: VMESS, ...change }).slice('vmess://'.length), 'base64').toString('latin1');

describe('vless', () => {
  const start = 'vless://6d6f4ad1-6b52-4b3c-9a3e-0d1f6ad2a002@a.example:443?encryption=none';

  it.each<[Partial<ResolvedProxy>, string]>([
    [{}, '&security=none&type=tcp&headerType=none#name'],
    [
      { name: 'آلمان 🇩🇪 (1)' },
      '&security=none&type=tcp&headerType=none#%D8%A2%D9%84%D9%85%D8%A7%D9%86%20%F0%9F%87%A9%F0%9F%87%AA%20%281%29',
    ],
    [
      { protocol: { ...VLESS, flow: 'xtls-rprx-vision' }, security: REALITY },
      '&flow=xtls-rprx-vision&security=reality&type=tcp&headerType=none&sni=s.example&fp=chrome&pbk=pbk&sid=ab12&spx=%2Fs%3Fp%3D1#name',
    ],
    [
      { security: { ...REALITY, shortId: '', spiderX: '', mldsa65Verify: 'v' } },
      '&security=reality&type=tcp&headerType=none&sni=s.example&fp=chrome&pbk=pbk&pqv=v#name',
    ],
    [
      { transport: transport('tcp-http', { path: '/a b', host: 'h.example' }) },
      '&security=none&type=tcp&headerType=http&path=%2Fa%20b&host=h.example#name',
    ],
    [
      { transport: transport('ws', { path: '/w?ed=2048', host: 'h.example' }), security: TLS },
      '&security=tls&type=ws&path=%2Fw%3Fed%3D2048&host=h.example&sni=s.example&fp=firefox&alpn=h2%2Chttp%2F1.1#name',
    ],
    [{ transport: transport('httpupgrade', { path: '', host: '' }) }, '&security=none&type=httpupgrade#name'],
    [
      { transport: transport('xhttp', { path: '/x', host: '', mode: 'auto', extra: { xPaddingBytes: '1-2' } }) },
      '&security=none&type=xhttp&path=%2Fx&mode=auto&extra=%7B%22mode%22%3A%22auto%22%2C%22xPaddingBytes%22%3A%221-2%22%7D#name',
    ],
    [
      { transport: transport('grpc', { serviceName: 'my/svc', authority: 'h.example', multiMode: true }) },
      '&security=none&type=grpc&serviceName=my%2Fsvc&authority=h.example&mode=multi#name',
    ],
    [
      { transport: transport('kcp'), finalmask: { udp: [{ type: 'header-srtp' }] } },
      '&security=none&type=kcp&headerType=none&fm=%7B%22udp%22%3A%5B%7B%22type%22%3A%22header-srtp%22%7D%5D%7D#name',
    ],
    [
      { security: tls({ serverName: '', pinnedCertificates: ['aa', 'bb'] }) },
      '&security=tls&type=tcp&headerType=none&pcs=aa%2Cbb#name',
    ],
    [
      { security: tls({ verifiedNames: ['a.example', 'b.example'] }) },
      '&security=tls&type=tcp&headerType=none&sni=s.example&vcn=a.example%2Cb.example#name',
    ],
  ])('the vless link of %j', (change, rest) => {
    expect(link(change)).toBe(start + rest);
  });

  it.each<[Partial<ResolvedProxy>, string]>([
    [
      { fragment: { xray: { packets: '1-3', length: '1-2', interval: 5 } } },
      'headerType=none&fragment=1-2%2C5%2C1-3#name',
    ],
    [{ security: tls({ echConfigList: 'AEX+' }) }, 'sni=s.example&ech=AEX%2B#name'],
    [{ security: tls({ verifiedNames: ['a.example'] }) }, 'sni=s.example&vcn=a.example#name'],
    [{ transport: transport('ws', { heartbeatPeriod: 30 }) }, 'type=ws&heartbeatPeriod=30#name'],
    [{ transport: transport('kcp', { settings: { mtu: 1000, tti: 20 } }) }, 'headerType=none&mtu=1000&tti=20#name'],
    [
      { transport: transport('xhttp', { headers: { 'User-Agent': 'a b' } }) },
      'extra=%7B%22mode%22%3A%22auto%22%2C%22headers%22%3A%7B%22User-Agent%22%3A%22a%20b%22%7D%7D#name',
    ],
  ])('VLESS and VMess links carry %j', (change, ending) => {
    expect(link(change).endsWith(ending)).toBe(true);
    expect(vmess(change)).toContain(Object.keys(parseLink(link(change)).parameters).at(-1));
  });

  it('a VLESS link contains the encryption', () => {
    expect(link({ protocol: { type: 'vless', id: 'i', flow: '', encryption: 'mlkem.e' } })).toBe(
      'vless://i@a.example:443?encryption=mlkem.e&security=none&type=tcp&headerType=none#name',
    );
  });

  it.each([
    ['2001:db8::1', '[2001:db8::1]'],
    ['192.0.2.1', '192.0.2.1'],
    ['<missing>', '%3Cmissing%3E'],
  ])('a VLESS link contains the address %s', (address, host) => {
    expect(link({ address })).toContain(`@${host}:443?`);
  });
});

describe('trojan', () => {
  it('a Trojan link always names its security, because clients default to TLS', () => {
    expect(link({ protocol: TROJAN })).toBe(
      'trojan://trojan%20pass%3A%2F%3F%23%40%2B@a.example:443?security=none&type=tcp&headerType=none#name',
    );
  });
});

describe('shadowsocks', () => {
  it('a Shadowsocks link encodes the user of a legacy method in base64url without padding', () => {
    expect(link({ protocol: SHADOWSOCKS })).toBe('ss://YWVzLTI1Ni1nY206cMOkP3M-cw@a.example:443#name');
  });

  it('a Shadowsocks link does not encode the user of a 2022 method in Base64', () => {
    expect(link({ protocol: SHADOWSOCKS_2022 })).toBe(
      'ss://2022-blake3-aes-128-gcm:AAECAwQFBgcICQoLDA0ODw%3D%3D%3Am3%2Bt%2Fxny8opupgAag8aEhA%3D%3D@a.example:443#name',
    );
  });

  it('a Shadowsocks link names any transport but plain TCP', () => {
    const ws = transport('ws', { path: '/w' });
    expect(link({ protocol: SHADOWSOCKS_2022, transport: ws, security: TLS })).toBe(
      'ss://2022-blake3-aes-128-gcm:AAECAwQFBgcICQoLDA0ODw%3D%3D%3Am3%2Bt%2Fxny8opupgAag8aEhA%3D%3D@a.example:443' +
        '?security=tls&type=ws&path=%2Fw&sni=s.example&fp=firefox&alpn=h2%2Chttp%2F1.1#name',
    );
  });
});

describe('vmess', () => {
  const start = (name: string) =>
    `{"v":"2","ps":"${name}","add":"a.example","port":443,"id":"6d6f4ad1-6b52-4b3c-9a3e-0d1f6ad2a001","aid":"0","scy":"aes-128-gcm"`;

  it('a VMess link is one line of standard Base64', () => {
    expect(link({ protocol: VMESS })).toBe(
      `vmess://${Buffer.from(`${start('name')},"net":"tcp","type":"none","host":"","path":"","tls":""}`).toString('base64')}`,
    );
  });

  it.each<[Partial<ResolvedProxy>, string]>([
    [{ transport: transport('kcp') }, ',"net":"kcp","type":"none","host":"","path":"","tls":""}'],
    [
      { transport: transport('tcp-http', { path: '/a', host: 'h' }) },
      ',"net":"tcp","type":"http","host":"h","path":"/a","tls":""}',
    ],
    [
      {
        transport: transport('ws', { path: '/w', host: 'h' }),
        security: { ...TLS, pinnedCertificates: ['aa'] },
      },
      ',"net":"ws","type":"none","host":"h","path":"/w","tls":"tls","sni":"s.example","alpn":"h2,http/1.1","fp":"firefox","pcs":"aa"}',
    ],
    [
      { transport: transport('grpc', { serviceName: 's', authority: 'h', multiMode: false }), security: REALITY },
      ',"net":"grpc","type":"gun","host":"h","path":"s","tls":"reality","sni":"s.example","fp":"chrome","pbk":"pbk","sid":"ab12","spx":"/s?p=1"}',
    ],
    [
      {
        transport: transport('xhttp', { path: '/x', host: '', mode: 'stream-up', extra: { a: 1 } }),
        finalmask: { b: 2 },
      },
      ',"net":"xhttp","type":"stream-up","host":"","path":"/x","extra":"{\\"mode\\":\\"stream-up\\",\\"a\\":1}","tls":"","fm":"{\\"b\\":2}"}',
    ],
  ])('the vmess link of %j', (change, rest) => {
    expect(vmess(change)).toBe(start('name') + rest);
  });

  it('a VMess link escapes non-ASCII characters', () => {
    expect(vmess({ name: 'é🚀' })).toContain('"ps":"\\u00e9\\ud83d\\ude80"');
  });
});

describe('the list', () => {
  it('of links has one link per line, or is Base64 as a whole', () => {
    const proxies = [proxy({ protocol: SHADOWSOCKS }), proxy({ protocol: SHADOWSOCKS, name: 'ü' })];
    const text =
      'ss://YWVzLTI1Ni1nY206cMOkP3M-cw@a.example:443#name\nss://YWVzLTI1Ni1nY206cMOkP3M-cw@a.example:443#%C3%BC';
    expect(renderLinks(proxies)).toBe(text);
    expect(Buffer.from(renderLinksBase64(proxies), 'base64').toString()).toBe(text);
    expect(renderLinksBase64(proxies)).toMatch(/^[A-Za-z0-9+/]+=*$/);
    expect(renderLinks([])).toBe('');
  });
});

describe('any text', () => {
  const text = fc.string({ unit: 'binary', minLength: 1 });
  const ascii = fc.string({ unit: 'binary-ascii', minLength: 1 });

  it('links keep any text in names, passwords, paths and hosts', () => {
    fc.assert(
      fc.property(text, text, text, ascii, (name, password, path, host) => {
        const ws = transport('ws', { path, host });
        for (const protocol of [
          TROJAN,
          { type: 'shadowsocks', method: 'aes-128-gcm', password, udp: true } as const,
          VMESS,
        ]) {
          const parsed = parseLink(link({ name, protocol, transport: ws }));
          expect(parsed).toMatchObject({ name, host: 'a.example', port: 443 });
          expect(parsed.parameters).toMatchObject({ path, host });
        }
        expect(parseLink(link({ protocol: { type: 'trojan', password } })).user).toBe(password);
        expect(parseLink(link({ protocol: { ...SHADOWSOCKS, password } })).user).toBe(`aes-256-gcm:${password}`);
      }),
    );
  });

  it('links replace a lone surrogate by U+FFFD', () => {
    expect(parseLink(link({ name: 'a\ud83d' })).name).toBe('a\ufffd');
  });
});
