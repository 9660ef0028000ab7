import { readFileSync } from 'node:fs';

/** The version in this app's package.json, one folder above the sources as well as above the build. */
export const NODE_VERSION = readVersion(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

function readVersion(packageJson: string): string {
  const { version } = JSON.parse(packageJson) as { version: string };
  return version;
}
