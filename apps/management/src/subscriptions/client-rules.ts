import type { RE2JS } from 're2js';
import { compilePattern } from '../settings/client-pattern.js';
import type { SubscriptionRule } from '../settings/subscription-rule.dto.js';

type CompiledRule = Readonly<{ rule: SubscriptionRule; pattern: RE2JS | undefined }>;

/** By the list itself: the settings hold the same one until they change. */
const COMPILED = new WeakMap<readonly SubscriptionRule[], readonly CompiledRule[]>();

/** The first rule that fits the beginning of the User-Agent. */
export function ruleFor(rules: readonly SubscriptionRule[], userAgent: string): SubscriptionRule | undefined {
  return compiled(rules).find(({ pattern }) => pattern?.matcher(userAgent).lookingAt())?.rule;
}

function compiled(rules: readonly SubscriptionRule[]): readonly CompiledRule[] {
  const known = COMPILED.get(rules);
  if (known) return known;
  const fresh = rules.map((rule) => ({ rule, pattern: compilePattern(rule.pattern) }));
  COMPILED.set(rules, fresh);
  return fresh;
}
