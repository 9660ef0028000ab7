import { beforeAll, describe, expect, it } from '@jest/globals';
import { REFUSED_ACCESS, REFUSED_CONFIGS } from '@rampart/testing';
import { planConfig } from './plan/engine-plan.js';
import { type TestPair, testPair } from './testing/certificate.js';

const plan = (config: object, excludedInbounds = ['in']) =>
  planConfig({ text: JSON.stringify(config), excludedInbounds });
const refusal = (message: string) => expect.objectContaining({ code: 'CONFIG_REFUSED', message });

describe(planConfig.name, () => {
  it.each(REFUSED_CONFIGS)('refuses $what', ({ config, message }) => {
    expect(() => plan(config)).toThrow(refusal(message));
  });

  it.each(REFUSED_ACCESS)('security row 20: refuses $what', ({ config, message }) => {
    expect(() => plan(config)).toThrow(refusal(message));
  });

  it('security row 20: writes no log files', () => {
    const { log } = plan({ log: { access: '/tmp/access.log', Error: '/tmp/error.log' } }).tree;
    expect(log).toEqual({});
  });

  it('accepts a key log and a masquerade that touch no file', () => {
    const streamSettings = {
      tlsSettings: { masterKeyLog: 'none' },
      hysteriaSettings: { masquerade: { type: 'string' } },
    };
    expect(plan({ outbounds: [{ protocol: 'freedom', streamSettings }] }).tree['outbounds']).toHaveLength(1);
  });

  it('replaces the users of an inbound that the node manages', () => {
    const settings = { decryption: 'none', users: [{ id: 'x' }] };
    const inbounds = [{ tag: 'managed', port: 1, protocol: 'vless', settings }];
    expect(plan({ inbounds }).tree['inbounds']).toEqual([{ ...inbounds[0], settings: { decryption: 'none' } }]);
  });

  it.each([
    ['inbounds', { inbounds: [1, 2].map((port) => ({ tag: 'a', port, protocol: 'http' })) }],
    ['outbounds', { outbounds: [1, 2].map(() => ({ tag: 'a', protocol: 'freedom' })) }],
  ])('refuses a duplicate tag in %s', (list, config) => {
    expect(() => plan(config)).toThrow(refusal(`${list}[0] and ${list}[1] have the same tag "a"`));
  });

  it('accepts outbounds that connect through others, and selectors that select nothing where that is harmless', () => {
    const through = (tag: string) => ({ streamSettings: { sockopt: { dialerProxy: tag } } });
    const config = {
      outbounds: [
        { tag: 'a', protocol: 'freedom', ...through('b') },
        { tag: 'b', protocol: 'freedom', ...through('d') },
        { tag: 'c', protocol: 'freedom', proxySettings: { tag: 'b' }, ...through('') },
        { tag: 'd', protocol: 'freedom' },
        { protocol: 'freedom', ...through('a') },
      ],
      routing: {
        balancers: [
          { tag: 'unused', selector: ['none'] },
          { tag: 'fallback', selector: ['none'], fallbackTag: 'd' },
          { tag: 'reverse', selector: ['port'] },
        ],
        rules: ['fallback', 'reverse'].map((balancerTag) => ({ network: 'tcp', balancerTag })),
      },
      reverse: { portals: [{ tag: 'portal', domain: 'x.test' }] },
      observatory: { subjectSelector: ['none'], EnableConcurrency: true },
    };
    expect(plan(config).tree).toMatchObject({ outbounds: config.outbounds });
  });

  it('reads null as an empty selector, as the engine does, and does not let it select the API', () => {
    const routing = { balancers: [{ tag: 'b', selector: [null] }] };
    expect(plan({ outbounds: [{ tag: 'direct', protocol: 'freedom' }], routing }).tree['routing']).toMatchObject({
      balancers: [{ selector: ['direct'] }],
    });
  });

  it('names each API service once, in whatever case it is spelled', () => {
    const services = ['reflectionservice', 'ReflectionService', 'STATSSERVICE'];
    expect(plan({ api: { services } }).apiServices).toEqual([
      ...['HandlerService', 'StatsService', 'RoutingService', 'LoggerService', 'reflectionservice'],
    ]);
  });
});

describe('certificates', () => {
  let pair: TestPair;
  let other: TestPair;
  const certified = (certificates: object[]) => ({
    inbounds: [
      { tag: 'in', port: 1, protocol: 'trojan', streamSettings: { security: 'tls', tlsSettings: { certificates } } },
    ],
  });
  const PLACE = 'inbound "in": streamSettings.tlsSettings.certificates[0]';

  beforeAll(async () => {
    [pair, other] = await Promise.all([testPair(), testPair()]);
  });

  it.each([
    ['one text', ({ certificate, key }: TestPair) => ({ certificate, key })],
    [
      'lists of lines',
      ({ certificate, key }: TestPair) => ({ certificate: certificate.split('\n'), Key: key.split('\n') }),
    ],
    ['an issuer', ({ certificate, key }: TestPair) => ({ certificate, key, usage: 'issue' })],
  ])('are accepted as %s', (_what, write) => {
    const [taken] = plan(certified([write(pair)])).certificates;
    expect(taken).toEqual({
      place: PLACE,
      certificate: { text: pair.certificate },
      key: { text: pair.key },
    });
  });

  it('certificate files are planned without being read', () => {
    const files = { certificateFile: 'c.pem', keyFile: '/k.pem', certificate: ['ignored'] };
    expect(plan(certified([files])).certificates).toEqual([
      { place: PLACE, certificate: { file: 'c.pem' }, key: { file: '/k.pem' } },
    ]);
  });

  it.each([
    ['of another key', () => ({ ...pair, key: other.key }), 'the private key is not the one of the certificate'],
    ['with a garbage key', () => ({ ...pair, key: 'x' }), 'the key is not an unencrypted private key in PEM form'],
  ])('are refused %s, without showing it', (_what, write, problem) => {
    expect(() => plan(certified([write()]))).toThrow(refusal(`${PLACE}: ${problem}`));
  });

  it('a TLS inbound is refused when none of its certificates can be used to serve', () => {
    const problem = 'security "tls" needs a certificate and its key in streamSettings.tlsSettings.certificates';
    const verify = { certificate: pair.certificate, usage: 'verify' };
    expect(() => plan(certified([verify]))).toThrow(refusal(`inbound "in": ${problem}`));
    expect(plan(certified([verify, { ...pair }])).certificates).toHaveLength(2);
  });
});

describe('geo lists', () => {
  it('are found with the place that names them', () => {
    const { geoLists, tree } = plan({
      outbounds: [{ tag: 'direct', protocol: 'freedom' }],
      routing: {
        rules: [
          {
            outboundTag: 'direct',
            IP: ['geoip:!cn', 'geoip:private'],
            domain: 'geosite:cn@ads,full:x',
            ruleTag: 'geoip:no',
          },
          { outboundTag: 'direct', Domains: ['ext:my.dat:list'], source: ['ext-ip:own.dat:!home'] },
        ],
      },
      dns: {
        hosts: { 'geosite:ads': '127.0.0.1' },
        Servers: ['1.1.1.1', { address: '8.8.8.8', expectIPs: ['geoip:private', 'geoip:us'] }],
      },
    });
    expect(geoLists).toEqual([
      { path: 'routing.rules[0].ip[0]', text: 'geoip:!cn', file: 'geoip.dat', code: 'CN' },
      { path: 'routing.rules[0].domain', text: 'geosite:cn@ads', file: 'geosite.dat', code: 'CN' },
      { path: 'routing.rules[1].domains[0]', text: 'ext:my.dat:list', file: 'my.dat', code: 'LIST' },
      { path: 'routing.rules[1].source[0]', text: 'ext-ip:own.dat:!home', file: 'own.dat', code: 'HOME' },
      expect.objectContaining({ text: 'geoip:us', file: 'geoip.dat', code: 'US' }),
      { path: 'dns.hosts.geosite:ads', text: 'geosite:ads', file: 'geosite.dat', code: 'ADS' },
    ]);
    expect(JSON.stringify(tree)).not.toContain('geoip:private');
  });

  it('outside of their directory are refused', () => {
    const rules = [{ outboundTag: 'direct', domain: ['ext:../../etc/passwd:x'] }];
    const config = { outbounds: [{ tag: 'direct', protocol: 'freedom' }], routing: { rules } };
    const message = 'routing.rules[0].domain[0]: "ext:../../etc/passwd:x" leads out of the directory of geo files';
    expect(() => plan(config)).toThrow(refusal(message));
  });
});
