import type { Handover, Inbound } from '@rampart/core-config';
import { isShadowsocks2022 } from '@rampart/domain';
import { objectAt, textAt } from './json-tree.js';

/** An inbound whose users the node keeps. */
export type ManagedInbound = { readonly tag: string; readonly handover: Handover } & (
  | { readonly protocol: 'vless'; readonly vision: boolean; readonly flow: string }
  | { readonly protocol: 'vmess' | 'trojan' | 'shadowsocks' | 'hysteria' }
  | { readonly protocol: 'shadowsocks-2022'; readonly method: string }
);

/** Returns the inbounds whose users the node keeps: they have a tag and a protocol with users, and are not excluded. */
export function managedInbounds(inbounds: readonly Inbound[], excluded: readonly Inbound[]): ManagedInbound[] {
  return inbounds
    .filter((inbound) => inbound.tag !== '' && !excluded.includes(inbound))
    .flatMap((inbound) => managedInbound(inbound) ?? []);
}

function managedInbound({ tag, protocol, handover, vision, tree }: Inbound): ManagedInbound | undefined {
  const settings = objectAt(tree, 'settings', 'settings');
  switch (protocol) {
    case 'vless':
      return { tag, handover, protocol, vision, flow: textAt(settings, 'flow') };
    case 'vmess':
    case 'trojan':
    case 'hysteria':
      return { tag, handover, protocol };
    case 'shadowsocks': {
      const method = textAt(settings, 'method');
      return isShadowsocks2022(method)
        ? { tag, handover, protocol: 'shadowsocks-2022', method }
        : { tag, handover, protocol };
    }
    default:
      return undefined;
  }
}
