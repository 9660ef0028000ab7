import type { SubscriptionRule } from '../../../api/types';
import type { StoredSettings } from '../settings-queries';

/** A rule in the form: its headers are lines such as `name: value`. */
export interface RuleValues {
  pattern: string;
  target: SubscriptionRule['target'];
  headers: string;
}

export interface RulesValues {
  rules: RuleValues[];
}

export const NEW_RULE: RuleValues = { pattern: '', target: 'links_base64', headers: '' };

export const rulesValues = ({ subscription }: Pick<StoredSettings, 'subscription'>): RulesValues => ({
  rules: (subscription.rules ?? []).map(({ pattern, target, response_headers = {} }) => ({
    pattern,
    target,
    headers: Object.entries(response_headers)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n'),
  })),
});

const linesOf = (headers: string): string[] => headers.split('\n').filter((line) => line.trim() !== '');

/** The first line that is no header; undefined: all are. */
export const wrongHeader = (headers: string): string | undefined =>
  linesOf(headers).find((line) => !/^[^\s:]+:/.test(line.trim()));

/** The rules as they are saved. A rule without headers has no such member. */
export const rulesBody = ({ rules }: RulesValues): SubscriptionRule[] =>
  rules.map(({ pattern, target, headers }) => {
    const entries = linesOf(headers).map((line): [string, string] => {
      const at = line.indexOf(':');
      return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    });
    return { pattern, target, ...(entries.length > 0 && { response_headers: Object.fromEntries(entries) }) };
  });
