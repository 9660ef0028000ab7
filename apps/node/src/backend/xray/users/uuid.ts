const CANONICAL = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const ANY = /^([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})$/;

/** A UUID as the engine writes it; nothing for a text that is not one. Dashes may be missing. */
export function canonicalUuid(text: string): string | undefined {
  return CANONICAL.test(text) ? text : ANY.exec(text.toLowerCase())?.slice(1).join('-');
}
