import { RE2JS } from 're2js';

/** How much of a User-Agent management looks at. */
const MAX_USER_AGENT_LENGTH = 256;

/**
 * The place of the first rule whose pattern matches the beginning of a User-Agent, by the engine that management uses; -1: none does.
 * A pattern that the engine does not support matches nothing.
 */
export function findRule(patterns: readonly string[], userAgent: string): number {
  const text = userAgent.slice(0, MAX_USER_AGENT_LENGTH);
  return patterns.findIndex((pattern) => {
    try {
      return RE2JS.compile(pattern).matcher(text).lookingAt();
    } catch {
      return false;
    }
  });
}
