/** What decides on an inbound whether vision can work. */
export interface VisionInbound {
  /** `none`, or the VLESS encryption string. */
  readonly encryption: string;
  /** `tcp` for raw. */
  readonly network: string;
  /** `http` for the HTTP header of raw connections. */
  readonly headerType: string;
  readonly security: 'none' | 'tls' | 'reality';
}

/**
 * Whether the flow `xtls-rprx-vision` works on a VLESS inbound: on raw TLS and REALITY, and below VLESS encryption.
 * Elsewhere it breaks every connection, so neither node nor client may use it there; and both must decide alike,
 * because a flow on one side only fails without a message.
 */
export function visionWorks({ encryption, network, headerType, security }: VisionInbound): boolean {
  return encryption !== 'none' || (network === 'tcp' && headerType !== 'http' && security !== 'none');
}
