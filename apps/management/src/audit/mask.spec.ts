import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { difference } from './difference.js';
import { isMasked, masked, maskedInTurns } from './mask.js';

const SECRET_NAMES = [
  ['access', 'token'],
  ['api', 'key'],
  ['auth'],
  ['bot', 'token'],
  ['client', 'secret'],
  ['cookie'],
  ['jwt'],
  ['keys'],
  ['obfs', 'password'],
  ['pass'],
  ['passphrase'],
  ['pre', 'shared', 'key'],
  ['private', 'key'],
  ['proxy', 'authorization'],
  ['psk'],
  ['pwd'],
  ['request', 'signature'],
  ['seed'],
  ['user', 'credentials'],
  ['x', 'auth'],
  ['x', 'auth', 'key'],
];
const capital = (word: string) => word.slice(0, 1).toUpperCase() + word.slice(1);
const STYLES: ((words: string[]) => string)[] = [
  (words) => words.join('-'),
  (words) => words.join('_'),
  (words) => words.join('').toUpperCase(),
  (words) => words.join('_').toUpperCase(),
  (words) => words.join(''),
  (words) => words.map(capital).join('-'),
  (words) => words.map(capital).join(''),
  (words) => words.map((word, at) => (at === 0 ? word : capital(word))).join(''),
];
const secretName = fc
  .tuple(fc.constantFrom(...STYLES), fc.constantFrom(...SECRET_NAMES))
  .map(([style, words]) => style(words));
const letters = (most: number) => fc.stringMatching(new RegExp(`^[a-z]{1,${most}}$`));
/** Stands nowhere else. */
const secret = letters(8).map((text) => `hidden-${text}`);
const HARMLESS = [
  'Accept',
  'Cache-Control',
  'Connection',
  'Content-Type',
  'Host',
  'Upgrade',
  'User-Agent',
  'Sec-Fetch-Mode',
];
const anyCase = (name: string) => fc.constantFrom(name, name.toLowerCase(), name.toUpperCase());
const headersName = fc.constantFrom('headers', 'http_headers', 'Headers', 'requestHeaders', 'extra-headers');

/** Puts a member at any depth of a document. */
const at = (depth: string[], inner: object): object =>
  depth.reduceRight<object>((value, name) => (name === 'list' ? { list: [value] } : { [name]: value }), inner);
const depth = fc.array(fc.constantFrom('config', 'list', 'settings', 'streamSettings'), { maxLength: 4 });

const everyway = (document: object): string =>
  [
    masked(document),
    difference(undefined, document),
    difference(document, undefined),
    difference({}, document),
    difference(JSON.parse(JSON.stringify(document).replaceAll('hidden-', 'earlier-hidden-')), document),
  ]
    .map((shown) => JSON.stringify(shown))
    .join();

describe('security row 72: what masks hide', () => {
  it('what masks hide are the values of all names that look like secrets, however they are written', () => {
    fc.assert(
      fc.property(depth, secretName, secret, (path, name, value) => {
        for (const inner of [{ [name]: value }, { [name]: [value] }, { [name]: { of: value } }, { name, value }])
          expect(everyway(at(path, inner))).not.toContain('hidden-');
      }),
    );
  });

  it('what masks hide are the values of all headers but a few harmless ones, in every form', () => {
    const headerName = letters(12).filter(
      (name) =>
        ![
          'accept',
          'connection',
          'date',
          'dnt',
          'host',
          'origin',
          'pragma',
          'server',
          'te',
          'upgrade',
          'vary',
        ].includes(name),
    );
    fc.assert(
      fc.property(depth, headersName, fc.oneof(headerName, secretName), secret, (path, headers, name, value) => {
        const forms = [
          { [name]: value },
          { [name]: [value, value] },
          { deep: { [name]: value } },
          [{ name, value }],
          [`${name}: ${value}`],
          `Host: a.example\r\n${name}: ${value}`,
        ];
        for (const form of forms) expect(everyway(at(path, { [headers]: form }))).not.toContain('hidden-');
      }),
    );
  });

  it('what masks hide are no harmless headers, nor their names', () => {
    const harmless = fc.constantFrom(...HARMLESS).chain(anyCase);
    fc.assert(
      fc.property(headersName, harmless, (headers, name) => {
        for (const form of [{ [name]: 'shown' }, { [name]: ['shown'] }, [{ name, value: 'shown' }], [`${name}: shown`]])
          expect(masked({ [headers]: form })).toEqual({ [headers]: form });
        expect(masked({ [headers]: { 'X-Any': 'x', [name]: 'shown' } })).toEqual({
          [headers]: { 'X-Any': '***', [name]: 'shown' },
        });
        expect(masked({ [headers]: [{ name: 'X-Any', value: 'x' }] })).toEqual({
          [headers]: [{ name: 'X-Any', value: '***' }],
        });
      }),
    );
  });

  it('what masks hide is who logs in by a URL, in any text', () => {
    const scheme = fc.constantFrom('http', 'https', 'socks5', 'vless', 'trojan', 'ss', 'hysteria2', 'quic+local');
    const userinfo = fc
      .tuple(fc.constantFrom('', 'hidden-user:', 'u%40:hidden-'), secret)
      .map((parts) => parts.join(''));
    const around = fc.constantFrom('', 'see ', '(', 'https://a.example/?u=');
    fc.assert(
      fc.property(depth, scheme, userinfo, around, letters(8), (path, name, who, before, member) => {
        const text = `${before}${name}://${who}@a.example:443/dns-query`;
        const document = at(path, { [`a${member}`]: text, list: [text], note: text });
        expect(everyway(document)).not.toContain('hidden-');
        expect(JSON.stringify(masked(document))).toContain('***@a.example:443/dns-query');
      }),
    );
  });

  it.each([
    ['https://user:pa@ss@dns.example/dns-query', 'https://***@dns.example/dns-query'],
    ['//token@a.example', '//***@a.example'],
    ['user:word@a.example:8080', '***@a.example:8080'],
    ['https://a.example/hook?id=5&access_token=abc#top', 'https://a.example/hook?id=5&access_token=***#top'],
    ['https://a.example/?X-Auth-Key=abc;key=d', 'https://a.example/?X-Auth-Key=***;key=***'],
    ['vmess://eyJhZGQiOiJhIn0', 'vmess://***'],
    ['ss://YWVzOnB3QGhvc3Q#name', 'ss://***#name'],
    ['a@b.example', 'a@b.example'],
    ['https://a.example/~a@b?c=d', 'https://a.example/~a@b?c=d'],
    ['Contact: @support', 'Contact: @support'],
    ['geosite:category-ads', 'geosite:category-ads'],
  ])('what masks hide of the text %j leaves %j', (text, shown) => {
    expect(masked({ address: text, note: text, servers: [text] })).toEqual({
      address: shown,
      note: shown,
      servers: [shown],
    });
    expect(isMasked(shown)).toBe(shown !== text);
    expect(isMasked(text)).toBe(false);
  });

  it('what masks hide are the paths and services of transports, which strangers do not know, but for the common one', () => {
    const transports = (path: string) => ({
      wsSettings: { path },
      xhttpSettings: { path, mode: 'auto' },
      grpcSettings: { serviceName: path },
      rawSettings: { header: { request: { path: [path] } } },
      fallbacks: [{ path, dest: 80 }],
    });
    expect(masked(transports('/hidden'))).toEqual({
      wsSettings: { path: '***' },
      xhttpSettings: { path: '***', mode: 'auto' },
      grpcSettings: { serviceName: '***' },
      rawSettings: { header: { request: { path: '***' } } },
      fallbacks: [{ path: '***', dest: 80 }],
    });
    expect(masked(transports('/'))).toEqual(transports('/'));
    expect(difference({ config: transports('/') }, { config: transports('/hidden') })).toMatchObject({
      'config.wsSettings.path': { before: '***', after: '***' },
    });
  });

  it('what masks hide are no names and figures that only look alike', () => {
    const document = {
      publicKey: 'shown',
      PUBLIC_KEYS: ['shown'],
      bypass: ['shown'],
      authenticated_at: 'shown',
      keep_alive: 60,
      keyboard: 'shown',
      author: 'shown',
      response_headers: { announce: 'shown' },
      allowed_networks: ['192.0.2.0/24'],
      is_auth: true,
      token: null,
      password: '',
    };
    expect(masked(document)).toEqual(document);
  });
});

describe('security row 96: what masks hide of other programs', () => {
  it('are the accounts in URLs of servers that are asked, and not the servers', () => {
    const document = (path: string) => ({
      dns: { servers: [`https://dns.example${path}`, { address: `https+local://dns.example${path}` }, '1.1.1.1'] },
      observatory: { probeURL: `https://probe.example${path}` },
      burstObservatory: {
        pingConfig: { destination: `https://probe.example${path}`, connectivity: `http://probe.example${path}` },
      },
      support_url: `https://a.example${path}`,
    });
    for (const path of ['/hidden', '/dns-query/hidden', '?hidden', '/a?dns=hidden#b'])
      expect(masked(document(path))).toEqual({ ...document('/***'), support_url: `https://a.example${path}` });
    for (const path of ['', '/', '/dns-query', '/generate_204']) expect(masked(document(path))).toEqual(document(path));
    expect(difference({ config: document('/') }, { config: document('/hidden') })).toMatchObject({
      'config.observatory.probeURL': { before: 'https://probe.example/', after: 'https://probe.example/***' },
    });
    expect(isMasked('https://dns.example/***')).toBe(true);
    expect(isMasked('https://dns.example/dns-query')).toBe(false);
  });

  it('are the domains of reverse proxies, in rules too', () => {
    const document = (domain: string, ...rule: string[]) => ({
      Reverse: { Portals: [{ tag: 'home', Domain: domain }], bridges: [{ tag: 'b', domain: 'Bridge.hidden.example' }] },
      routing: {
        rules: [{ domain: rule, outboundTag: 'home' }, { domains: ['domain:home.example'] }],
        home: 'hidden',
      },
    });
    const rules = ['full:hidden.example', 'regexp:^HIDDEN\\.example$', 'full:bridge.hidden.example'];
    const shown = masked(document('hidden.example', ...rules, 'domain:example'));
    expect(shown).toEqual({
      Reverse: { Portals: [{ tag: 'home', Domain: '***' }], bridges: [{ tag: 'b', domain: '***' }] },
      routing: {
        rules: [
          { domain: ['***', '***', '***', 'domain:example'], outboundTag: 'home' },
          { domains: ['domain:home.example'] },
        ],
        home: 'hidden',
      },
    });
    const changes = difference(document('hidden.example', ...rules), document('other.example', 'full:other.example'));
    expect(changes).toEqual({
      'Reverse.Portals.0.Domain': { before: '***', after: '***' },
      'routing.rules.0.domain': { before: ['***', '***', '***'], after: ['***'] },
    });
  });

  it('is who logs in to a proxy, and no user of a rule', () => {
    const account = { user: 'hidden', pass: 'hidden' };
    const document = {
      inbounds: [{ settings: { accounts: [account] } }],
      outbounds: [
        { settings: { address: 'a.example', port: 1, ...account } },
        { settings: { servers: [{ address: 'a.example', users: [{ User: 'hidden' }] }] } },
        { settings: { headers: { User: 'hidden' } } },
      ],
    };
    expect(everyway(document)).not.toContain('hidden"');
    expect(masked({ rules: [{ user: ['1.ann'], domain: ['a.example'] }, { user: '1.ann' }] })).toEqual({
      rules: [{ user: ['1.ann'], domain: ['a.example'] }, { user: '1.ann' }],
    });
  });
});

describe('security row 114: the time that masks take', () => {
  const names = Array.from({ length: 20_000 }, (_, index) => `domain:a${index}.example`);

  /** Milliseconds of CPU, the best of three. */
  const costOf = (document: object): number =>
    Math.min(
      ...[1, 2, 3].map(() => {
        const before = process.cpuUsage();
        masked(document);
        const { user, system } = process.cpuUsage(before);
        return (user + system) / 1_000;
      }),
    );

  it('is short for a rule of 20,000 domains', () => {
    expect(costOf({ config: { routing: { rules: [{ domain: names }] } } })).toBeLessThan(400);
  });

  it('does not grow with the length of the path', () => {
    const members = Object.fromEntries(names.map((name) => [name, { value: 1 }]));
    expect(costOf({ ['x'.repeat(300_000)]: { deep: members } })).toBeLessThan(500);
  });

  it('is divided into turns, with the same result', async () => {
    let turns = 0;
    const count = setInterval(() => {
      turns += 1;
    }, 0);
    const document = { config: { outbounds: names.map((name) => ({ tag: name, password: 'hidden' })) } };
    const [shown] = await maskedInTurns([document]);
    clearInterval(count);
    expect(turns).toBeGreaterThan(5);
    expect(shown).toEqual(masked(document));
  });
});
