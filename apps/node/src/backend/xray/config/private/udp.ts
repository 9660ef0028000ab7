import { FIRST_OUTBOUND, UDP_PREFIX } from '../../names/reserved.js';
import { type JsonObject, textAt } from '../json-tree.js';
import { selectorTexts } from '../selectors.js';
import { innerAt, valueAt, withMembers, wordAt } from './folded.js';
import { dialsUserTargets, forced, isChained, isFreedom } from './outbounds.js';

/** `UseIP` would pick one of all addresses, that of IPv6 on a host without it too. */
const UDP_STRATEGY = 'ForceIPv4v6';

/**
 * How UDP leaves. `freedom` sends each packet to the address in it, and routing has seen that of the first one alone. Through
 * another outbound in front, it gets packets without addresses, and sends them all to the target that was judged.
 */
export class UdpFronts {
  /** All outbounds, the first one with a tag, and behind them those for UDP. The first of them takes what no rule matches. */
  readonly outbounds: readonly JsonObject[];
  /** The tag of the first outbound where UDP has another way. */
  readonly first: string | undefined;
  private readonly fronted: ReadonlySet<string>;

  constructor(given: readonly JsonObject[]) {
    const named = given.map((outbound, index) =>
      index === 0 && textAt(outbound, 'tag') === '' ? { ...outbound, tag: FIRST_OUTBOUND } : outbound,
    );
    const sending = named.filter((outbound) => sendsAnywhere(outbound) && textAt(outbound, 'tag') !== '');
    this.fronted = new Set(sending.map((outbound) => textAt(outbound, 'tag')));
    const fronts = sending.map(frontOf);
    const isFirst = sending[0] !== undefined && sending[0] === named[0];
    this.first = isFirst ? textAt(sending[0]!, 'tag') : undefined;
    this.outbounds = isFirst ? [...fronts, ...named] : [...named, ...fronts];
  }

  /** Splits a rule whose outbound takes UDP another way; other rules stay as they are. */
  rule(rule: JsonObject, balancers: ReadonlyMap<string, string>): JsonObject[] {
    const outboundTag = textAt(rule, 'outboundTag');
    const balancerTag = textAt(rule, 'balancerTag');
    const front = this.fronted.has(outboundTag) ? { outboundTag: `${UDP_PREFIX}${outboundTag}` } : undefined;
    const balancer =
      outboundTag === '' && balancers.has(balancerTag) ? { balancerTag: balancers.get(balancerTag) } : undefined;
    const other = front ?? balancer;
    if (!other) return [rule];
    const { isTcp, isUdp } = networksOf(rule);
    return [
      ...(isTcp ? [isUdp ? withMembers(rule, { network: 'tcp' }) : rule] : []),
      ...(isUdp ? [withMembers(rule, { ...other, ...(isTcp && { network: 'udp' }) })] : []),
    ];
  }

  /** For each balancer that picks an outbound which takes UDP another way, one for UDP. */
  balancers(given: readonly JsonObject[], tags: readonly string[]): { tag: string; balancer: JsonObject }[] {
    return given.flatMap((balancer) => {
      const selectors = selectorTexts(balancer, 'selector', tags);
      const picked = tags.filter((tag) => selectors.some((selector) => tag.startsWith(selector)));
      const fallback = textAt(balancer, 'fallbackTag');
      if (![...picked, fallback].some((tag) => this.fronted.has(tag))) return [];
      const tag = textAt(balancer, 'tag');
      return [{ tag, balancer: this.udpBalancer(balancer, tag, picked, fallback) }];
    });
  }

  private udpBalancer(balancer: JsonObject, tag: string, picked: readonly string[], fallback: string): JsonObject {
    const fronted = [...this.fronted];
    const selector = picked.flatMap((name) => {
      if (this.fronted.has(name)) return [`${UDP_PREFIX}${name}`];
      // A selector picks all tags that begin with it.
      return fronted.some((other) => other.startsWith(name)) ? [] : [name];
    });
    const { strategy, ...others } = balancer;
    const kind = wordAt(innerAt(balancer, 'strategy'), 'type').toLowerCase();
    return {
      ...others,
      // Those for UDP are not observed, so that a strategy that goes by observations would not pick them.
      ...(kind.startsWith('least') ? {} : strategy !== undefined && { strategy }),
      ...{ tag: `${UDP_PREFIX}${tag}`, selector },
      ...(this.fronted.has(fallback) && { fallbackTag: `${UDP_PREFIX}${fallback}` }),
    };
  }
}

/** Whether an outbound sends packets to the addresses in them. Through another one, it gets and gives none. */
function sendsAnywhere(outbound: JsonObject): boolean {
  return isFreedom(outbound) && dialsUserTargets(outbound) && !isChained(outbound);
}

function frontOf(outbound: JsonObject): JsonObject {
  const tag = textAt(outbound, 'tag');
  const settings = innerAt(outbound, 'settings');
  const strategy = wordAt(settings, 'targetStrategy') || wordAt(settings, 'domainStrategy');
  const level = valueAt(settings, 'userLevel');
  return {
    tag: `${UDP_PREFIX}${tag}`,
    protocol: 'freedom',
    settings: {
      domainStrategy: forced(strategy, UDP_STRATEGY),
      ...(level !== undefined && { userLevel: level }),
      // The outbound behind it judges.
      finalRules: [{ action: 'allow' }],
    },
    streamSettings: { sockopt: { dialerProxy: tag } },
  };
}

/** The networks of a rule; a rule without any is for all. */
function networksOf(rule: JsonObject): { isTcp: boolean; isUdp: boolean } {
  const value = valueAt(rule, 'network');
  const texts = typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value.map(String) : [];
  const names = texts.map((text) => text.trim().toLowerCase()).filter((text) => text !== '');
  // What the engine does not know is left to its own check.
  const isAny = names.length === 0 || !names.every((name) => name === 'tcp' || name === 'udp');
  return { isTcp: isAny || names.includes('tcp'), isUdp: isAny || names.includes('udp') };
}
