import { writerOf } from '../formats/subscription-format.js';
import type { ResolvedProxy } from '../model/resolved-proxy.js';

/** The kinds of clients as which a host is probed, by the format that they get. */
export const PROBE_CLIENTS = ['xray', 'sing_box', 'clash_meta'] as const;
export type ProbeClient = (typeof PROBE_CLIENTS)[number];

/** The fingerprint of Go itself, which sing-box and mihomo have without uTLS. */
const GO_FINGERPRINT = 'unsafe';

/**
 * What a kind of client sends for a proxy, as far as an Xray engine can send it: fingerprint, ALPN and transport are those
 * of that client; multiplexing, fragments and noise of the others are left out, because they have protocols of their own.
 *
 * @returns `left out` when the client does not get the proxy; `unlike` when Xray cannot do what the client does
 */
export function asClient(proxy: ResolvedProxy, client: ProbeClient): ResolvedProxy | 'left out' | 'unlike' {
  if (writerOf(client, undefined).writeProxy(proxy) === undefined) return 'left out';
  if (client === 'xray') return proxy;
  const { security } = proxy;
  const plain = { ...proxy, mux: {}, fragment: {}, noises: [] };
  if (security.type !== 'tls') return plain;
  // Xray always verifies, or pins; the others skip it.
  if (security.allowInsecure && security.pinnedCertificates.length === 0) return 'unlike';
  return { ...plain, security: { ...security, fingerprint: security.fingerprint || GO_FINGERPRINT } };
}
