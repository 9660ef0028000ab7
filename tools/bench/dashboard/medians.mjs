/** Measures so often, and returns the median of each member of what was measured. */
export async function medians(rounds, measure) {
  const found = [];
  for (let round = 0; round < rounds; round++) found.push(await measure());
  const middle = (name) => found.map((one) => one[name]).sort((left, right) => left - right)[Math.floor(rounds / 2)];
  return Object.fromEntries(Object.keys(found[0]).map((name) => [name, middle(name)]));
}
