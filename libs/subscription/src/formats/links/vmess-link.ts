import type { ProxyProtocol, ProxySecurity, ProxyTransport, ResolvedProxy } from '../../model/resolved-proxy.js';
import { VMESS_CIPHER } from '../../protocol/vmess-cipher.js';
import { escapeJson, type WrittenProxy } from '../../writer/format-writer.js';
import { nonEmptyMembers } from '../../writer/non-empty-members.js';
import { fragmentText, jsonOrNothing, linkExtra, numberText } from './stream-query.js';

type Fields = Readonly<Record<string, string | number>>;

/**
 * A link of VMess: a JSON object in Base64. Non-ASCII characters are escaped, because some clients read the bytes as
 * Latin-1.
 */
export function vmessLink(proxy: ResolvedProxy, protocol: Extract<ProxyProtocol, { type: 'vmess' }>): WrittenProxy {
  const json = JSON.stringify({
    v: '2',
    ps: proxy.name,
    add: proxy.address,
    port: proxy.port,
    id: protocol.id,
    aid: '0',
    scy: VMESS_CIPHER,
    ...transportFields(proxy.transport),
    ...securityFields(proxy.security),
    ...nonEmptyMembers({ fm: jsonOrNothing(proxy.finalmask), fragment: fragmentText(proxy.fragment) }),
  });
  return { text: escapeNonAscii(json), escapeText, encodeText };
}

const escapeNonAscii = (json: string): string =>
  json.replace(/[\u0080-\uffff]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

const escapeText = (text: string): string => escapeNonAscii(escapeJson(text));

const encodeText = (json: string): string => `vmess://${Buffer.from(json).toString('base64')}`;

function transportFields(transport: ProxyTransport): Fields {
  switch (transport.type) {
    case 'tcp':
      return { net: 'tcp', type: 'none', host: '', path: '' };
    case 'kcp': {
      const { mtu, tti } = transport.settings;
      return {
        net: 'kcp',
        type: 'none',
        host: '',
        path: '',
        ...nonEmptyMembers({ mtu: numberText(mtu), tti: numberText(tti) }),
      };
    }
    case 'tcp-http':
      return { net: 'tcp', type: 'http', host: transport.host, path: transport.path };
    case 'ws':
    case 'httpupgrade': {
      const heartbeatPeriod = transport.type === 'ws' ? numberText(transport.heartbeatPeriod) : '';
      const { type, host, path } = transport;
      return { net: type, type: 'none', host, path, ...nonEmptyMembers({ heartbeatPeriod }) };
    }
    case 'xhttp':
      return {
        net: 'xhttp',
        type: transport.mode,
        host: transport.host,
        path: transport.path,
        extra: linkExtra(transport),
      };
    case 'grpc': {
      const type = transport.multiMode ? 'multi' : 'gun';
      return { net: 'grpc', type, host: transport.authority, path: transport.serviceName };
    }
  }
}

function securityFields(security: ProxySecurity): Fields {
  switch (security.type) {
    case 'none':
      return { tls: '' };
    case 'tls':
      return {
        tls: 'tls',
        sni: security.serverName,
        // mihomo reads an empty list as a list with one empty name, which no server accepts.
        ...nonEmptyMembers({ alpn: security.alpn.join(',') }),
        fp: security.fingerprint,
        ...nonEmptyMembers({
          pcs: security.pinnedCertificates.join(','),
          vcn: security.verifiedNames.join(','),
          ech: security.echConfigList,
        }),
      };
    case 'reality':
      return {
        tls: 'reality',
        sni: security.serverName,
        fp: security.fingerprint,
        pbk: security.publicKey,
        sid: security.shortId,
        spx: security.spiderX,
        ...nonEmptyMembers({ pqv: security.mldsa65Verify }),
      };
  }
}
