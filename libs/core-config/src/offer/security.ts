import { createPrivateKey, createPublicKey } from 'node:crypto';
import type { JsonCursor } from '../read/json-cursor.js';
import { type ReadCertificate, readCertificateEntry } from './certificate.js';
import { ALPN_PROTOCOLS, type Alpn, type SecurityFields } from './offered-inbound.js';
import { readNetwork, removedTransport } from './transport.js';

const X25519_PKCS8_PREFIX = Buffer.from('302e020100300506032b656e04220420', 'hex');

const NO_SECURITY: SecurityFields = {
  security: 'none',
  sni: [],
  alpn: [],
  fingerprint: '',
  allowInsecure: false,
  certificateSha256: [],
  publicKeySha256: [],
  verifiedNames: [],
  reality: undefined,
  finalmask: {},
};

/** Reads the security of an inbound and its certificates (contract: validation rules 8 and 9). @throws CoreConfigError */
export function readSecurity(
  stream: JsonCursor,
  tag: string,
  readCertificate: ReadCertificate | undefined,
): SecurityFields {
  return { ...readLayer(stream, tag, readCertificate), finalmask: stream.get('finalmask').object() };
}

function readLayer(stream: JsonCursor, tag: string, readCertificate: ReadCertificate | undefined): SecurityFields {
  const cursor = stream.get('security');
  const security = cursor.text().toLowerCase();
  switch (security) {
    case '':
    case 'none':
      return NO_SECURITY;
    case 'tls':
      return readTls(stream.get('tlsSettings'), tag, readCertificate);
    case 'reality':
      checkRealityTransport(stream, tag);
      return readReality(stream.get('realitySettings'), tag);
    default:
      return cursor.fail(`${cursor.path} must be one of none, tls, reality`);
  }
}

function readTls(tls: JsonCursor, tag: string, readCertificate: ReadCertificate | undefined): SecurityFields {
  const certificates = tls
    .get('certificates')
    .items()
    .flatMap((entry) => readCertificateEntry(entry, tag, readCertificate) ?? []);
  const names = [...new Set(certificates.flatMap(({ dnsNames }) => dnsNames))];
  const serverName = tls.get('serverName').text();
  return {
    ...NO_SECURITY,
    security: 'tls',
    sni: names.length > 0 || serverName === '' ? names : [serverName],
    alpn: readAlpn(tls.get('alpn')),
    fingerprint: readFingerprint(tls),
    allowInsecure: tls.get('allowInsecure').flag(),
    certificateSha256: certificates.map(({ sha256 }) => sha256),
    publicKeySha256: certificates.map(({ publicKeySha256 }) => publicKeySha256),
    verifiedNames: listed(tls.get('verifyPeerCertByName').text()),
  };
}

function readReality(reality: JsonCursor, tag: string): SecurityFields {
  const privateKey = reality.get('privateKey');
  if (privateKey.text() === '') privateKey.fail(`You need to provide privateKey in realitySettings of ${tag}`);
  const publicKey = x25519PublicKey(privateKey.text());
  if (publicKey === undefined) return privateKey.fail(`privateKey in realitySettings of ${tag} is not an X25519 key`);
  const shortIds = reality.get('shortIds').items();
  if (shortIds.length === 0) {
    reality.get('shortIds').fail(`You need to define at least one shortID in realitySettings of ${tag}`);
  }
  for (const shortId of shortIds) {
    if (/^(?:[0-9a-fA-F]{2}){0,8}$/.test(shortId.text())) continue;
    shortId.fail(`a shortID in realitySettings of ${tag} must be an even number of hexadecimal digits, at most 16`);
  }
  const serverNames = reality.get('serverNames');
  if (serverNames.items().length === 0)
    serverNames.fail(`You need to provide serverNames in realitySettings of ${tag}`);
  return {
    ...NO_SECURITY,
    security: 'reality',
    sni: serverNames.texts(),
    fingerprint: readFingerprint(reality) || 'chrome',
    reality: {
      publicKey,
      shortIds: shortIds.map((shortId) => shortId.text()),
      spiderX: reality.getFirst('spiderX', 'SpiderX').text(),
      mldsa65Verify: reality.get('mldsa65Verify').text(),
    },
  };
}

/** Computes the public key of an X25519 private key, both in base64url without padding. Undefined for any other text. */
function x25519PublicKey(privateKey: string): string | undefined {
  const raw = Buffer.from(privateKey, 'base64url');
  if (raw.length !== 32 || raw.toString('base64url') !== privateKey) return undefined;
  const key = createPrivateKey({ key: Buffer.concat([X25519_PKCS8_PREFIX, raw]), format: 'der', type: 'pkcs8' });
  return createPublicKey(key).export({ format: 'jwk' }).x;
}

function checkRealityTransport(stream: JsonCursor, tag: string): void {
  const network = readNetwork(stream);
  if (removedTransport(stream) !== undefined || ['tcp', 'grpc', 'xhttp'].includes(network)) return;
  stream.get('security').fail(`reality in ${tag} needs the transport tcp, grpc or xhttp, not ${network}`);
}

function readAlpn(cursor: JsonCursor): Alpn[] {
  const given = cursor.textList();
  return ALPN_PROTOCOLS.filter((protocol) => given.some((name) => name.trim() === protocol));
}

/** Returns the fingerprint in lower case: clients other than the engine know no other spelling. */
const readFingerprint = (settings: JsonCursor): string => settings.get('fingerprint').text().toLowerCase();

const listed = (text: string): string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
