import { isJsonObject, type JsonObject } from './json-cursor.js';

/** A reverse portal: who connects to its domain through it becomes its bridge, and gets what others send through it. */
export interface Portal {
  readonly tag: string;
  readonly domain: string;
}

/** Returns the reverse portals of a configuration that have a tag and a domain. */
export function portalsOf(tree: JsonObject): Portal[] {
  return objectsIn(inside(tree, 'reverse')['portals']).flatMap(({ tag, domain }) =>
    typeof tag === 'string' && typeof domain === 'string' && tag !== '' && domain !== '' ? [{ tag, domain }] : [],
  );
}

/** Returns what rules may name to lead to an outbound or a portal: its tag, and those of the balancers that pick it. */
export function waysTo(tag: string, tree: JsonObject): ReadonlySet<unknown> {
  const balancers = objectsIn(inside(tree, 'routing')['balancers']).filter((balancer) => {
    const picks = textsOf(balancer['selector']).some((selector) => tag.startsWith(selector));
    return picks || balancer['fallbackTag'] === tag;
  });
  return new Set([tag, ...balancers.map((balancer) => balancer['tag'])]);
}

/** How routing rules lead to one portal. */
export class PortalRules {
  private readonly tags: ReadonlySet<unknown>;
  private readonly domain: string;

  constructor(tree: JsonObject, portal: Portal) {
    this.tags = waysTo(portal.tag, tree);
    this.domain = portal.domain.toLowerCase();
  }

  /** Whether a rule takes connections to the domain into the portal. */
  admits(rule: JsonObject): boolean {
    if (!this.tags.has(rule['outboundTag'] || rule['balancerTag'])) return false;
    // The domain is no address.
    if (rule['ip'] !== undefined && rule['ip'] !== null) return false;
    const domains = domainsOf(rule);
    return domains.length === 0 || domains.some((text) => this.mayMatch(text));
  }

  /** Whether a rule is there for the bridge: it names the domain, and from where the bridge comes. */
  isForBridge(rule: JsonObject): boolean {
    const names = domainsOf(rule).some((text) => [`full:${this.domain}`, `domain:${this.domain}`].includes(text));
    return names && this.admits(rule) && (namesUsers(rule) || textsOf(rule['inboundTag']).length > 0);
  }

  private mayMatch(text: string): boolean {
    const [, kind = 'keyword', value = ''] =
      /^(?:(full|domain|keyword|dotless|regexp|geosite|ext|ext-domain):)?(.*)$/s.exec(text) ?? [];
    switch (kind) {
      case 'full':
        return this.domain === value;
      case 'domain':
        return this.domain === value || this.domain.endsWith(`.${value}`);
      case 'keyword':
        return this.domain.includes(value);
      default:
        return true;
    }
  }
}

/** Whether a rule is for some users alone. */
export function namesUsers(rule: JsonObject): boolean {
  return textsOf(rule['user']).length > 0;
}

const domainsOf = (rule: JsonObject): string[] =>
  [...textsOf(rule['domain']), ...textsOf(rule['domains'])].map((text) => text.toLowerCase());

const inside = (tree: JsonObject, key: string): JsonObject => (isJsonObject(tree[key]) ? tree[key] : {});

const objectsIn = (list: unknown): JsonObject[] => (Array.isArray(list) ? list.filter(isJsonObject) : []);

/** A list of texts, or one text with commas, as the engine reads it. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return value.split(',').map((text) => text.trim());
  return Array.isArray(value) ? value.filter((text) => typeof text === 'string') : [];
}
