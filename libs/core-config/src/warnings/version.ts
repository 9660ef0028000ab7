/** Below 0, 0 or above 0, as versions such as `26.3.27` are ordered; a part that is missing or no number counts as 0. */
export function compareVersions(one: string, other: string): number {
  const [ones, others] = [partsOf(one), partsOf(other)];
  const at = [0, 1, 2].find((index) => ones[index] !== others[index]);
  return at === undefined ? 0 : (ones[at] ?? 0) - (others[at] ?? 0);
}

const partsOf = (version: string): number[] => {
  const [major = '', minor = '', patch = ''] = version.split('.');
  return [major, minor, patch].map((part) => Number.parseInt(part, 10) || 0);
};
