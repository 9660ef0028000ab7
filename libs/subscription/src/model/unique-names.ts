/** Clients want some name, without half a character: two that differ in it alone would become one. */
export const displayName = (remark: string): string => remark.toWellFormed().trim() || '-';

/** Gives each name that was used before a number: `name`, `name (2)`, `name (3)`. Clients refuse duplicates. */
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

/** The same proxies, none under a name that a document uses itself. */
export function withoutReservedNames<Proxy extends { readonly name: string }>(
  proxies: readonly Proxy[],
  reserved: readonly string[],
): readonly Proxy[] {
  if (!proxies.some(({ name }) => reserved.includes(name))) return proxies;
  const nameOf = uniqueNames(reserved);
  return proxies.map((proxy) => ({ ...proxy, name: nameOf(proxy.name) }));
}
