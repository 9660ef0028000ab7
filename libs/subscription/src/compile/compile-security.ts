import type { Alpn, OfferedInbound, RealityOptions } from '@rampart/core-config';
import type { Host } from '../model/host.js';
import type { TlsSecurity } from '../model/resolved-proxy.js';
import { isFingerprint } from '../protocol/fingerprints.js';
import { HostProblem } from './host-problem.js';

/** The security of a host over its inbound; names and short ids are picked per request. */
export type CompiledSecurity =
  | { readonly type: 'none' }
  | Omit<TlsSecurity, 'serverName'>
  | { readonly type: 'reality'; readonly fingerprint: string; readonly reality: RealityOptions };

/** These imitate clients without TLS 1.3, which REALITY and gRPC need. */
const OLD_FINGERPRINTS: readonly string[] = ['android', '360'];

/** @throws HostProblem where no client could connect */
export function compileSecurity(host: Host, inbound: OfferedInbound): CompiledSecurity {
  const type = host.security === 'inbound_default' ? inbound.security : host.security;
  const given = host.fingerprint === 'none' ? inbound.fingerprint : host.fingerprint;
  const fingerprint = given === 'none' ? '' : given;
  if (fingerprint !== '' && !isFingerprint(fingerprint)) throw new HostProblem(`fingerprint ${fingerprint} is unknown`);
  switch (type) {
    case 'none':
      return { type };
    case 'tls': {
      if (inbound.network === 'grpc') checkFingerprint(fingerprint, [...OLD_FINGERPRINTS, 'randomizednoalpn'], 'grpc');
      const allowInsecure = host.allowInsecure ?? inbound.allowInsecure;
      return {
        type,
        alpn: usableAlpn(host.alpn.length > 0 ? host.alpn : inbound.alpn, inbound.network),
        fingerprint,
        allowInsecure,
        // Today's clients refuse to skip verification; the certificate itself is the way that is left.
        pinnedCertificates: allowInsecure ? inbound.certificateSha256 : [],
        pinnedPublicKeys: allowInsecure ? inbound.publicKeySha256 : [],
        verifiedNames: inbound.verifiedNames,
        echConfigList: host.echConfigList ?? '',
      };
    }
    case 'reality': {
      const { reality } = inbound;
      if (reality === undefined) throw new HostProblem(`inbound ${inbound.tag} does not offer reality`);
      checkFingerprint(fingerprint, [...OLD_FINGERPRINTS, 'unsafe'], 'reality');
      return { type, fingerprint: fingerprint || 'chrome', reality };
    }
    default:
      throw new HostProblem(`security ${type} is unknown`);
  }
}

function checkFingerprint(fingerprint: string, unusable: readonly string[], user: string): void {
  if (unusable.includes(fingerprint)) throw new HostProblem(`fingerprint ${fingerprint} cannot be used with ${user}`);
}

/** The protocols that a transport can speak; a client that offers another one is refused or hangs. */
function usableAlpn(alpn: readonly Alpn[], network: OfferedInbound['network']): readonly Alpn[] {
  switch (network) {
    case 'ws':
    case 'httpupgrade':
      return alpn.filter((name) => name === 'http/1.1');
    case 'grpc':
      return alpn.filter((name) => name === 'h2');
    case 'xhttp':
      return alpn;
    default:
      return alpn.filter((name) => name !== 'h3');
  }
}
