/** A UUID as the engine writes it; nothing for a text that is not one. Dashes may be missing. */
export function canonicalUuid(text: string): string | undefined {
  const groups = /^([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})$/.exec(
    text.toLowerCase(),
  );
  return groups?.slice(1).join('-');
}
