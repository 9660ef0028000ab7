import { readFileSync } from 'node:fs';

/** The version in this app's package.json, which is two folders above both the sources and the build. */
export const MANAGEMENT_VERSION = readVersion(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

function readVersion(packageJson: string): string {
  const { version } = JSON.parse(packageJson) as { version: string };
  return version;
}
