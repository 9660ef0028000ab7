/** Gives each name that was used before a number: `name`, `name (2)`, `name (3)`. Clients refuse duplicates. */
export function uniqueNames(): (name: string) => string {
  const used = new Set<string>();
  const last = new Map<string, number>();
  return (name) => {
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
