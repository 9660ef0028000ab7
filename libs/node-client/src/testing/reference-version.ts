/** Whether a version of the reference node is older than another one. All of them are 0.x. */
export function isBefore(version: string, minor: number, patch = 0): boolean {
  const [, itsMinor = 0, itsPatch = 0] = version.split('.').map(Number);
  return itsMinor < minor || (itsMinor === minor && itsPatch < patch);
}
