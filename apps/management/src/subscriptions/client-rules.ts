import { type Format, parseFormat } from '@rampart/domain';
import type { RE2JS } from 're2js';
import { compilePattern } from '../settings/client-pattern.js';
import type { SubscriptionRule } from '../settings/subscription-rule.dto.js';

/** A rule with compiled pattern and format strings. */
export interface ClientRule extends Pick<SubscriptionRule, 'target'> {
  readonly pattern: RE2JS | undefined;
  /** Header names in lower case, so that they replace ours. */
  readonly headers: readonly (readonly [name: string, value: Format])[];
}

interface CompiledRules {
  readonly rules: readonly ClientRule[];
  /** The rule for each User-Agent seen so far: there are few clients, and the linear engine is slow. */
  readonly found: Map<string, ClientRule | undefined>;
}

/** Compiled rules by list; the settings keep the same list until they change. */
const COMPILED = new WeakMap<readonly SubscriptionRule[], CompiledRules>();
/** Maximum number of cached User-Agents; each further one costs a match. */
const MAX_USER_AGENTS = 1_000;

/** The first rule whose pattern matches the beginning of the User-Agent. */
export function ruleFor(list: readonly SubscriptionRule[], userAgent: string): ClientRule | undefined {
  const { rules, found } = compiled(list);
  if (found.has(userAgent)) return found.get(userAgent);
  const rule = rules.find(({ pattern }) => pattern?.matcher(userAgent).lookingAt());
  if (found.size >= MAX_USER_AGENTS) found.clear();
  found.set(userAgent, rule);
  return rule;
}

function compiled(list: readonly SubscriptionRule[]): CompiledRules {
  const known = COMPILED.get(list);
  if (known) return known;
  const fresh = { rules: list.map(compiledRule), found: new Map() };
  COMPILED.set(list, fresh);
  return fresh;
}

function compiledRule({ pattern, target, response_headers = {} }: SubscriptionRule): ClientRule {
  const headers = Object.entries(response_headers).map(
    ([name, value]) => [name.toLowerCase(), storedFormat(value)] as const,
  );
  return { target, pattern: compilePattern(pattern), headers };
}

/** A damaged format string is sent unchanged. */
function storedFormat(text: string): Format {
  try {
    return parseFormat(text);
  } catch {
    return [{ text }];
  }
}
