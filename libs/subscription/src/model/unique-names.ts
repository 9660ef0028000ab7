/**
 * The name that clients show for a remark. It is never empty, and lone surrogates are replaced: clients would merge names
 * that differ in them alone.
 */
export const displayName = (remark: string): string => remark.toWellFormed().trim() || '-';

/**
 * A function that makes each name unique by appending a number: `name`, `name (2)`, `name (3)`. Clients refuse duplicates.
 *
 * @param reserved names that must not be returned.
 */
export function uniqueNames(reserved: readonly string[] = []): (name: string) => string {
  const used = new Set<string>(reserved);
  const last = new Map<string, number>();
  return (name) => {
    if (!used.has(name)) {
      used.add(name);
      return name;
    }
    let number = last.get(name) ?? 1;
    let unique = name;
    while (used.has(unique)) {
      number += 1;
      unique = `${name} (${number})`;
    }
    last.set(name, number);
    used.add(unique);
    return unique;
  };
}

/** The same proxies, renamed where their name is reserved by the document. */
export function withoutReservedNames<Proxy extends { readonly name: string }>(
  proxies: readonly Proxy[],
  reserved: readonly string[],
): readonly Proxy[] {
  if (!proxies.some(({ name }) => reserved.includes(name))) return proxies;
  const nameOf = uniqueNames(reserved);
  return proxies.map((proxy) => ({ ...proxy, name: nameOf(proxy.name) }));
}
