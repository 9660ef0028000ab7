import type { Alpn, OfferedInbound } from '@rampart/core-config';
import type { CompiledSecurity } from '../model/compiled-host.js';
import type { Host } from '../model/host.js';
import { isFingerprint } from '../protocol/fingerprints.js';
import { HostProblem } from './host-problem.js';

/** Fingerprints of clients without TLS 1.3, which REALITY and gRPC need. */
const OLD_FINGERPRINTS: readonly string[] = ['android', '360'];

/**
 * The security of a host. Settings of the host take precedence over those of its inbound.
 *
 * @throws HostProblem when no client could connect.
 */
export function compileSecurity(host: Host, inbound: OfferedInbound): CompiledSecurity {
  const type = host.security === 'inbound_default' ? inbound.security : host.security;
  const requested = host.fingerprint === 'none' ? inbound.fingerprint : host.fingerprint;
  const fingerprint = requested === 'none' ? '' : requested;
  if (fingerprint !== '' && !isFingerprint(fingerprint)) throw new HostProblem(`fingerprint ${fingerprint} is unknown`);
  switch (type) {
    case 'none':
      return { type };
    case 'tls': {
      if (inbound.network === 'grpc')
        assertUsableFingerprint(fingerprint, [...OLD_FINGERPRINTS, 'randomizednoalpn'], 'grpc');
      const allowInsecure = host.allowInsecure ?? inbound.allowInsecure;
      return {
        type,
        alpn: supportedAlpn(host.alpn.length > 0 ? host.alpn : inbound.alpn, inbound.network),
        fingerprint,
        allowInsecure,
        // Current clients refuse to skip verification, but they accept a pinned certificate.
        pinnedCertificates: allowInsecure ? inbound.certificateSha256 : [],
        pinnedPublicKeys: allowInsecure ? inbound.publicKeySha256 : [],
        verifiedNames: inbound.verifiedNames,
        echConfigList: host.echConfigList ?? '',
      };
    }
    case 'reality': {
      const { reality } = inbound;
      if (reality === undefined) throw new HostProblem(`inbound ${inbound.tag} does not offer reality`);
      assertUsableFingerprint(fingerprint, [...OLD_FINGERPRINTS, 'unsafe'], 'reality');
      return { type, fingerprint: fingerprint || 'chrome', reality };
    }
    default:
      throw new HostProblem(`security ${type} is unknown`);
  }
}

function assertUsableFingerprint(fingerprint: string, unusable: readonly string[], usedWith: string): void {
  if (unusable.includes(fingerprint))
    throw new HostProblem(`fingerprint ${fingerprint} cannot be used with ${usedWith}`);
}

/** The protocols of a list that a transport speaks: a client that offers another one is refused, or waits without end. */
function supportedAlpn(alpn: readonly Alpn[], network: OfferedInbound['network']): readonly Alpn[] {
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
