/** The items in another order, each order as likely as any other. */
export function shuffled<Item>(items: readonly Item[], random: (max: number) => number): Item[] {
  const result = [...items];
  for (let count = result.length; count > 1; count--) {
    // The item that is drawn goes behind those that are still to draw from.
    result.push(...result.splice(random(count), 1));
  }
  return result;
}
