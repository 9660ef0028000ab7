import { type JsonObject, textsAt } from './json-tree.js';

/**
 * What a selector of outbounds says, in full: it picks every outbound whose tag begins with one of its texts, and the
 * empty text, which picks all, becomes the list of all that it may pick. The engine's API is an outbound too.
 */
export function selectorTexts(section: JsonObject, key: string, tags: readonly string[]): string[] {
  const texts = textsAt(section, key);
  if (!texts.includes('')) return texts;
  return [...new Set([...texts.filter((text) => text !== ''), ...tags])];
}
