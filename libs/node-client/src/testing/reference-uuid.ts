/** The digits of a UUID in any of its spellings, with and without dashes, braces and `urn:`; undefined for other texts. */
export function uuidDigits(text: string): string | undefined {
  const [, digits] = /^(?:urn:uuid:|\{)?([0-9a-f-]{32,36})\}?$/i.exec(text) ?? [];
  const bare = digits?.replaceAll('-', '').toLowerCase();
  return bare?.length === 32 ? bare : undefined;
}
