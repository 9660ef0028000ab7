/** The properties of a VLESS inbound that decide whether vision works. */
export interface VisionInbound {
  /** `none`, or the VLESS encryption string. */
  readonly encryption: string;
  /** The transport; `tcp` also stands for `raw`. */
  readonly network: string;
  /** `http` when raw connections begin with an HTTP header. */
  readonly headerType: string;
  readonly security: 'none' | 'tls' | 'reality';
}

/**
 * Whether the flow `xtls-rprx-vision` works on a VLESS inbound: over raw TCP with TLS or REALITY, and with VLESS
 * encryption. Elsewhere it breaks every connection. Nodes and subscriptions both use this rule, because a flow that only
 * one side uses fails without an error message.
 */
export function visionWorks({ encryption, network, headerType, security }: VisionInbound): boolean {
  return encryption !== 'none' || (network === 'tcp' && headerType !== 'http' && security !== 'none');
}
