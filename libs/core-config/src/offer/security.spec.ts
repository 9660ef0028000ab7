import { describe, expect, it } from '@jest/globals';
import { parseCoreConfig } from '../parse-core-config.js';
import { CERTIFICATE, CERTIFICATE_SHA256 } from '../testing/certificate.js';
import { core, type Json, PRIVATE_KEY, PUBLIC_KEY, reality, tls, vless } from '../testing/core.js';
import { refusal } from '../testing/refusal.js';

/** What OpenSSL computes of the public key of the certificate. */
const PUBLIC_KEY_SHA256 = '1KAIxxsIhKFRi6KIi4tnilhAhyzQzZl5WjsUgRfXlRk=';

const readCertificate = (path: string) => {
  if (path !== '/certs/fullchain.pem' && path !== '/certs/key.pem') throw new Error(`ENOENT ${path}`);
  return CERTIFICATE;
};

const read = (streamSettings: Json) =>
  parseCoreConfig(core(vless({ streamSettings })), { readCertificate }).inbounds[0];
const refused = (streamSettings: Json) => refusal(core(vless({ streamSettings })), { readCertificate });

describe(tls.name, () => {
  it.each<[string, Json]>([
    ['a string', { certificate: CERTIFICATE, key: 'k' }],
    ['lines', { certificate: CERTIFICATE.trimEnd().split('\n'), key: ['k'] }],
    ['a file', { certificateFile: '/certs/fullchain.pem', keyFile: '/certs/key.pem' }],
  ])('server names are the DNS names of a certificate that is given as %s', (_, certificate) => {
    expect(read(tls(certificate, certificate))).toMatchObject({
      security: 'tls',
      sni: ['a.example', '*.b.example'],
      certificateSha256: [CERTIFICATE_SHA256, CERTIFICATE_SHA256],
      publicKeySha256: [PUBLIC_KEY_SHA256, PUBLIC_KEY_SHA256],
      fingerprint: '',
      allowInsecure: false,
      reality: undefined,
    });
  });

  it('the server name is `serverName` when no certificate has a name, and client CAs are ignored', () => {
    const stream = tls({ certificate: CERTIFICATE, usage: 'verify' });
    const settings = {
      serverName: 'own.example',
      alpn: ['http/1.1', 'h2', 'spdy'],
      allowInsecure: true,
      fingerprint: 'iOS',
      verifyPeerCertByName: 'a.example, b.example',
    };
    expect(read({ ...stream, tlsSettings: { ...Object(stream['tlsSettings']), ...settings } })).toMatchObject({
      sni: ['own.example'],
      alpn: ['h2', 'http/1.1'],
      certificateSha256: [],
      fingerprint: 'ios',
      allowInsecure: true,
      verifiedNames: ['a.example', 'b.example'],
    });
  });

  const at = (key: string) => `inbounds[0].streamSettings.tlsSettings.certificates[0]${key}`;
  it.each<[Json, string, string]>([
    [{ certificateFile: '/certs/fullchain.pem' }, at(''), `in inbound doesn't have keyFile in tlsSettings`],
    [{ keyFile: '/certs/key.pem' }, at(''), 'in inbound has neither certificateFile nor certificate in tlsSettings'],
    [{ certificate: 'garbage' }, at('.certificate'), 'certificate of in is not a certificate in PEM form'],
    [{ certificate: 7 }, at('.certificate'), 'certificate of in must be a text or a list of its lines'],
    [{ certificate: ['a', 7] }, at('.certificate'), 'certificate of in must be a text or a list of its lines'],
    [
      { certificateFile: 7, keyFile: 'k' },
      at('.certificateFile'),
      'certificate files of in must lie in the directory of RAMPART_CERTS_DIR',
    ],
    [
      { certificateFile: '/etc/shadow', keyFile: 'x' },
      at('.certificateFile'),
      'certificate files of in must lie in the directory of RAMPART_CERTS_DIR',
    ],
    [
      { certificateFile: '/certs/fullchain.pem', keyFile: '/etc/shadow' },
      at('.keyFile'),
      'certificate files of in must lie in the directory of RAMPART_CERTS_DIR',
    ],
    [{ certificateFile: '/certs/fullchain.pem', key: ['k'] }, at(''), `in inbound doesn't have keyFile in tlsSettings`],
  ])('an inbound with the certificate %j is refused', (certificate, path, message) => {
    expect(refused(tls(certificate))).toEqual({ message, path });
  });

  it('every certificate file is refused without a function that reads files', () => {
    const config = core(vless({ streamSettings: tls({ certificateFile: '/certs/fullchain.pem', keyFile: 'k' }) }));
    expect(refusal(config).message).toBe('certificate files of in must lie in the directory of RAMPART_CERTS_DIR');
  });

  it('a certificate file that cannot be read is refused on an excluded inbound too', () => {
    const own = vless({ tag: 'own', streamSettings: tls({ certificateFile: '/etc/shadow', keyFile: 'k' }) });
    expect(refusal(core(vless(), own), { excludeTags: ['own'], readCertificate })).toEqual({
      message: 'certificate files of own must lie in the directory of RAMPART_CERTS_DIR',
      path: 'inbounds[1].streamSettings.tlsSettings.certificates[0].certificateFile',
    });
  });

  it.each<[string, unknown]>([
    ['a file that cannot be read', tls({ certificateFile: '/etc/shadow', keyFile: 'k' })],
    ['an element that is no object', tls({ certificateFile: 7 }, 'x' as never)],
    ['settings of another shape', { network: 7, security: [], tlsSettings: 'none' }],
    ['no object', 'tls'],
  ])('certificates are not read for a protocol that users do not get: %s', (_, streamSettings) => {
    const hysteria = { tag: 'own', protocol: 'hysteria', streamSettings };
    expect(parseCoreConfig(core(vless(), hysteria), { readCertificate }).warnings).toEqual([]);
  });
});

describe(reality.name, () => {
  it('REALITY: the public key is computed, and the settings that clients need are kept', () => {
    const settings = { shortIds: ['', 'ab12'], SpiderX: '/s', mldsa65Verify: 'v' };
    expect(read({ network: 'grpc', ...reality(settings) })).toMatchObject({
      security: 'reality',
      sni: ['a.example'],
      fingerprint: 'chrome',
      reality: { publicKey: PUBLIC_KEY, shortIds: ['', 'ab12'], spiderX: '/s', mldsa65Verify: 'v' },
    });
    expect(read(reality({ spiderX: '/own', SpiderX: '/s' }))?.reality?.spiderX).toBe('/own');
  });

  const shortId = 'a shortID in realitySettings of in must be an even number of hexadecimal digits, at most 16';
  it.each<[Json, string, string]>([
    [{ privateKey: undefined }, '.privateKey', 'You need to provide privateKey in realitySettings of in'],
    [{ privateKey: 'short' }, '.privateKey', 'privateKey in realitySettings of in is not an X25519 key'],
    [{ privateKey: `${PRIVATE_KEY}=` }, '.privateKey', 'privateKey in realitySettings of in is not an X25519 key'],
    [{ shortIds: undefined }, '.shortIds', 'You need to define at least one shortID in realitySettings of in'],
    [{ shortIds: [] }, '.shortIds', 'You need to define at least one shortID in realitySettings of in'],
    [{ shortIds: ['ab', 'abc'] }, '.shortIds[1]', shortId],
    [{ shortIds: ['xy'] }, '.shortIds[0]', shortId],
    [{ shortIds: ['0123456789abcdef01'] }, '.shortIds[0]', shortId],
    [{ serverNames: undefined }, '.serverNames', 'You need to provide serverNames in realitySettings of in'],
    [{ serverNames: [] }, '.serverNames', 'You need to provide serverNames in realitySettings of in'],
  ])('an inbound with the REALITY settings %j is refused', (change, path, message) => {
    expect(refused(reality(change))).toEqual({
      message,
      path: `inbounds[0].streamSettings.realitySettings${path}`,
    });
  });

  it('REALITY is refused on a transport on which the engine does not support it', () => {
    expect(refused({ network: 'ws', ...reality() })).toEqual({
      message: 'reality in in needs the transport tcp, grpc or xhttp, not ws',
      path: 'inbounds[0].streamSettings.security',
    });
  });

  it('a missing target of REALITY is warned of', () => {
    expect(parseCoreConfig(core(vless({ streamSettings: reality({ target: undefined }) }))).warnings).toEqual([
      {
        path: 'inbounds[0].streamSettings.realitySettings.target',
        code: 'reality_target_missing',
        message: 'inbound in has no target in realitySettings: the engine will not start with it',
      },
    ]);
  });
});

it('an unknown security is refused', () => {
  expect(refused({ security: 'xtls' })).toEqual({
    message: 'inbounds[0].streamSettings.security must be one of none, tls, reality',
    path: 'inbounds[0].streamSettings.security',
  });
});
