import { describe, expect, it } from '@jest/globals';
import { CONFIG_KEYS, INBOUND_KEYS } from './known-keys.js';
import { spellKeys } from './spell-keys.js';

const STATISTICS = 'statsInboundUplink statsInboundDownlink statsOutboundUplink statsOutboundDownlink';
const PADDING = 'xPaddingBytes xPaddingObfsMode xPaddingKey xPaddingHeader xPaddingPlacement xPaddingMethod';
const SESSION = 'sessionPlacement sessionKey sessionIDPlacement sessionIDKey sessionIDTable sessionIDLength';
const UPLINK = 'uplinkHTTPMethod uplinkDataPlacement uplinkDataKey uplinkChunkSize';
const SHARED_XHTTP = `${PADDING} ${SESSION} ${UPLINK} seqPlacement seqKey noGRPCHeader scMaxEachPostBytes scMinPostsIntervalMs xmux`;
const TLS = 'alpn serverName fingerprint allowInsecure verifyPeerCertByName certificates';
const REALITY =
  'privateKey shortIds serverNames target dest type fingerprint minClientVer mldsa65Seed mldsa65Verify spiderX';

/** An object with a value inside as many others as the path has parts. */
const nested = (path: string, value: object): object =>
  path
    .split('.')
    .filter(Boolean)
    .reduceRight((inside, name) => ({ [name]: inside }), value);

const objectOf = (names: string) => Object.fromEntries(names.split(' ').map((name) => [name, name]));
const upperCased = (names: string) => Object.fromEntries(names.split(' ').map((name) => [name.toUpperCase(), name]));

describe('known keys', () => {
  it.each([
    ['', 'tag listen port protocol settings sniffing streamSettings'],
    ['settings', 'method password network udp flow decryption encryption users clients fallbacks'],
    ['settings.clients', 'email flow reverse'],
    ['settings.clients.reverse', 'tag'],
    ['settings.fallbacks', 'dest type'],
    ['sniffing', 'enabled metadataOnly'],
    [
      'streamSettings',
      'network security tlsSettings realitySettings rawSettings tcpSettings wsSettings sockopt finalmask',
    ],
    ['streamSettings', 'httpupgradeSettings xhttpSettings splithttpSettings grpcSettings gunSettings kcpSettings'],
    ['streamSettings', 'quicSettings httpSettings h2Settings h3Settings'],
    ['streamSettings.tlsSettings', TLS],
    ['streamSettings.tlsSettings.certificates', 'certificate certificateFile key keyFile usage'],
    ['streamSettings.realitySettings', REALITY],
    ...['raw', 'tcp'].flatMap((name) => [
      [`streamSettings.${name}Settings.header`, 'type request'],
      [`streamSettings.${name}Settings.header.request`, 'path headers'],
    ]),
    ...['ws', 'httpupgrade'].map((name) => [`streamSettings.${name}Settings`, 'path host headers acceptProxyProtocol']),
    ...['xhttp', 'splithttp'].flatMap((name) => [
      [`streamSettings.${name}Settings`, `path host headers mode extra ${SHARED_XHTTP}`],
      [`streamSettings.${name}Settings.xmux`, 'maxConcurrency maxConnections'],
      [`streamSettings.${name}Settings.extra`, SHARED_XHTTP],
      [`streamSettings.${name}Settings.extra.xmux`, 'maxConcurrency maxConnections'],
    ]),
    ...['grpc', 'gun'].map((name) => [`streamSettings.${name}Settings`, 'serviceName authority multiMode']),
    ...['http', 'h2', 'h3'].map((name) => [`streamSettings.${name}Settings`, 'path host']),
    ['streamSettings.kcpSettings', 'seed header'],
    ['streamSettings.quicSettings', 'key'],
    ['streamSettings.finalmask', 'udp tcp'],
    ['streamSettings.finalmask.tcp', 'type'],
    ['streamSettings.sockopt', 'acceptProxyProtocol trustedXForwardedFor'],
  ])('are read in any case inside "%s" of an inbound: %s', (path, names) => {
    const sent = nested(path.toUpperCase(), upperCased(names));
    expect(spellKeys(sent, INBOUND_KEYS, '', 'refuse')).toEqual(nested(path, objectOf(names)));
  });

  it.each([
    ['', 'inbounds stats log api policy routing outbounds reverse metrics dns observatory burstObservatory'],
    ['log', 'access error loglevel'],
    ['api', 'tag services listen'],
    ['policy', 'levels system'],
    ['policy.levels.0', 'statsUserUplink statsUserDownlink statsUserOnline'],
    ['policy.system', STATISTICS],
    ['routing', 'rules balancers'],
    ['routing.rules', 'outboundTag balancerTag inboundTag user domain domains ip source sourceIP localIP'],
    ['routing.balancers', 'tag selector fallbackTag'],
    ['outbounds', 'tag protocol settings'],
    ['outbounds.settings', 'address inboundTag vnext servers peers'],
    ['outbounds.settings.vnext', 'address'],
    ['outbounds.settings.servers', 'address'],
    ['outbounds.settings.peers', 'endpoint'],
    ['reverse', 'portals'],
    ['reverse.portals', 'tag domain'],
    ['metrics', 'tag listen'],
    ['dns', 'hosts servers'],
    ['dns.servers', 'address expectedIPs expectIPs unexpectedIPs domains'],
    ['observatory', 'subjectSelector enableConcurrency'],
    ['burstObservatory', 'subjectSelector enableConcurrency'],
  ])('are read in any case inside "%s" of a configuration: %s', (path, names) => {
    const sent = nested(path.toUpperCase(), upperCased(names));
    expect(spellKeys(sent, CONFIG_KEYS, '', 'refuse')).toEqual(nested(path, objectOf(names)));
  });
});
