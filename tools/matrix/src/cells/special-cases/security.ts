import type { Cell, Json, Material } from '../cell.js';
import { type CaseOptions, type InboundPartNames, specialCase, withStream } from '../special-case.js';

const NO_XHTTP = { singBox: 'it has no xhttp' };
const PIN_OF_LINK = { mihomoLinks: 'it reads pins from vless links alone' };
const VERIFIES_SNI = 'it looks for the SNI in the certificate';
const OTHER_NAME = {
  singBox: VERIFIES_SNI,
  mihomoLinks: 'it reads no name of a certificate from links',
  firstClash: VERIFIES_SNI,
};
const TCP: InboundPartNames = ['vless', 'tcp', 'tls'];

const EVERYWHERE = ['chrome', 'firefox', 'safari', 'ios', 'edge', 'qq', 'random'] as const;
/** Clients select these at random when they start. Some selections fail, because they need a curve that the client lacks. */
const RANDOMIZED = ['randomized', 'randomizednoalpn'] as const;
const UNKNOWN = 'it does not know the fingerprint';
/** Fingerprints that are too old for REALITY, or that some clients do not know. */
const OVER_TLS = ['android', '360', 'unsafe', 'none'] as const;

const ALL_ALPN = { alpn: ['h3', 'h2', 'http/1.1'] };

/** Cells about trust, ECH, fingerprints and ALPN. */
export function securityCases(material: Material): Cell[] {
  const { certificate, untrusted, ech } = material;
  const tlsOf = (names: InboundPartNames, tlsSettings: Json) =>
    withStream(material, names, { security: 'tls', tlsSettings });
  const pinned = (names: InboundPartNames, title: string, options: CaseOptions) =>
    specialCase(material, `pin, ${title}: ${names.join(' ')}`, names, {
      inbounds: [tlsOf(names, { certificates: [untrusted] })],
      ...options,
    });
  const concealed = (names: InboundPartNames) =>
    specialCase(material, `ECH: ${names.join(' ')}`, names, {
      inbounds: [tlsOf(names, { certificates: [certificate], echServerKeys: ech.serverKeys })],
      host: { ech_config_list: ech.configList },
    });
  const printed = (fingerprint: string, names: InboundPartNames) =>
    specialCase(material, `fingerprint ${fingerprint}: ${names.join(' ')}`, names, { host: { fingerprint } });
  const drawn = (fingerprint: string, names: InboundPartNames, lacks: CaseOptions['lacks'] = {}) =>
    specialCase(material, `fingerprint ${fingerprint}: ${names.join(' ')}`, names, {
      user: 'drawing',
      host: { fingerprint },
      lacks,
    });
  const renamed = (names: InboundPartNames) =>
    specialCase(material, `a certificate for another name than the SNI: ${names.join(' ')}`, names, {
      inbounds: [tlsOf(names, { certificates: [certificate], verifyPeerCertByName: 't.example' })],
      host: { sni: ['other.example'] },
      lacks: OTHER_NAME,
    });
  const spoken = (title: string, names: InboundPartNames, alpn: readonly string[], options: CaseOptions = {}) =>
    specialCase(material, `ALPN ${title}: ${names.join(' ')}`, names, {
      inbounds: [tlsOf(names, { certificates: [certificate], alpn })],
      ...options,
    });
  return [
    pinned(TCP, 'an authority that nobody knows', { host: { allowinsecure: true } }),
    pinned(['trojan', 'ws', 'tls'], 'another name', {
      lacks: PIN_OF_LINK,
      host: { allowinsecure: true, sni: ['other.example'] },
    }),
    pinned(['vmess', 'grpc', 'tls'], 'another name', {
      lacks: PIN_OF_LINK,
      host: { allowinsecure: true, sni: ['other.example'] },
    }),
    ...([TCP, ['trojan', 'ws', 'tls'], ['vmess', 'grpc', 'tls']] as const).map(renamed),
    specialCase(material, 'certificate as one text: vless tcp tls', TCP, {
      inbounds: [
        tlsOf(TCP, {
          certificates: [{ certificate: certificate.certificate.join('\n'), key: certificate.key.join('\n') }],
        }),
      ],
    }),
    concealed(TCP),
    concealed(['vmess', 'ws', 'tls']),
    concealed(['trojan', 'grpc', 'tls']),
    ...EVERYWHERE.flatMap((name) => [printed(name, TCP), printed(name, ['vless', 'tcp', 'reality'])]),
    ...OVER_TLS.map((name) => printed(name, TCP)),
    printed('unsafe', ['vless', 'ws', 'tls']),
    ...RANDOMIZED.map((name) => drawn(name, TCP)),
    drawn('randomized', ['vless', 'tcp', 'reality']),
    drawn('randomizednoalpn', ['vless', 'tcp', 'reality'], { singBox: UNKNOWN, mihomo: UNKNOWN }),
    specialCase(material, 'ALPN that the host sets: vless ws tls', ['vless', 'ws', 'tls'], { host: ALL_ALPN }),
    specialCase(material, 'ALPN that the host sets: vmess httpupgrade tls', ['vmess', 'httpupgrade', 'tls'], {
      host: ALL_ALPN,
    }),
    specialCase(material, 'ALPN that the host sets: trojan grpc tls', ['trojan', 'grpc', 'tls'], { host: ALL_ALPN }),
    specialCase(material, 'ALPN that the host sets: vless tcp tls', TCP, { host: ALL_ALPN }),
    spoken('http/1.1', ['vless', 'ws', 'tls'], ['http/1.1']),
    spoken('h2', ['vless', 'grpc', 'tls'], ['h2']),
    spoken('h2', ['vless', 'xhttp auto', 'tls'], ['h2'], { lacks: NO_XHTTP }),
    spoken('http/1.1', ['vless', 'xhttp auto', 'tls'], ['http/1.1'], { lacks: NO_XHTTP }),
    specialCase(material, 'REALITY open to clients of 1.0.0: vless tcp', [
      'vless',
      'tcp',
      'reality, open to clients of 1.0.0',
    ]),
    specialCase(material, 'REALITY, spiderX without /: vless tcp', ['vless', 'tcp', 'reality, spiderX without /']),
  ];
}
