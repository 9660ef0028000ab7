/** Compares versions such as `26.3.27`: below 0, 0 or above 0. A part that is missing or not a number counts as 0. */
export function compareVersions(one: string, other: string): number {
  const [ones, others] = [partsOf(one), partsOf(other)];
  const at = [0, 1, 2].find((index) => ones[index] !== others[index]);
  return at === undefined ? 0 : (ones[at] ?? 0) - (others[at] ?? 0);
}

const partsOf = (version: string): number[] => {
  const [major = '', minor = '', patch = ''] = version.split('.');
  return [major, minor, patch].map((part) => Number.parseInt(part, 10) || 0);
};
