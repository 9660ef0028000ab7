import { nodeTag, type Protocol } from '@rampart/core-config';
import type { User } from '@rampart/node-client';
import type { ServedUser } from '../../user-store/served/served-users.js';

/**
 * What a node needs to know of users, by the core that it runs: those who have one of its inbounds, and of each the tags of
 * these inbounds and the credentials of their protocols. Nodes whose cores have the same inbounds have views with one key.
 */
export class CoreView {
  readonly key: string;

  /** @param protocols of the inbounds with users, by the tags that nodes know */
  constructor(private readonly protocols: ReadonlyMap<string, Protocol>) {
    this.key = JSON.stringify([...protocols].sort(([one], [other]) => (one < other ? -1 : 1)));
  }

  /** The tags that nodes know, of the inbounds with users. */
  get inboundTags(): readonly string[] {
    return [...this.protocols.keys()];
  }

  /** Whether a node has an inbound, given by the tag that groups know. */
  hasInbound(tag: string): boolean {
    return this.protocols.has(nodeTag(tag));
  }

  /** Whether the node serves the user. */
  serves({ inboundTags }: Pick<ServedUser, 'inboundTags'>): boolean {
    return inboundTags.some((tag) => this.hasInbound(tag));
  }

  /**
   * A user as the node takes it: without any of the node's inbounds it is a removal, which has no credentials. An inbound that
   * is offered behind a fallback goes by its own tag.
   */
  nodeUser({ email, proxySettings, withheld = [], inboundTags, revision }: ServedUser): User {
    const inbounds: string[] = [];
    const used = new Set<Protocol>();
    for (const offered of inboundTags) {
      const tag = nodeTag(offered);
      const protocol = this.protocols.get(tag);
      if (!protocol || inbounds.includes(tag)) continue;
      inbounds.push(tag);
      if (!withheld.includes(protocol)) used.add(protocol);
    }
    if (!proxySettings || inbounds.length === 0) return { email, proxies: undefined, inbounds, revision };
    const { vmess, vless, trojan, shadowsocks } = proxySettings;
    const proxies = {
      vmess: used.has('vmess') ? vmess : undefined,
      vless: used.has('vless') ? vless : undefined,
      trojan: used.has('trojan') ? trojan : undefined,
      shadowsocks: used.has('shadowsocks') ? shadowsocks : undefined,
      wireguard: undefined,
      hysteria: undefined,
    };
    return { email, proxies, inbounds, revision };
  }
}
