import { type JsonObject, textsAt } from './json-tree.js';

/**
 * Returns the texts of a selector of outbounds, which picks every outbound whose tag begins with one of them. The empty text
 * picks all outbounds, the engine's API among them, and is replaced by the tags that may be picked.
 */
export function selectorTexts(section: JsonObject, key: string, tags: readonly string[]): string[] {
  const texts = textsAt(section, key);
  if (!texts.includes('')) return texts;
  return [...new Set([...texts.filter((text) => text !== ''), ...tags])];
}
