import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../../..');

const manifests = ['apps', 'libs', 'tools'].flatMap((folder) =>
  readdirSync(join(ROOT, folder)).map(
    (one): Record<string, string> => JSON.parse(readFileSync(join(ROOT, folder, one, 'package.json'), 'utf8')),
  ),
);
const versions = manifests.map(({ name, version }) => [name, version] as const);

describe('the packages', () => {
  it('have one version', () => {
    const [[, version] = []] = versions;
    expect(versions.length).toBeGreaterThan(10);
    expect(versions.filter(([, other]) => other !== version)).toEqual([]);
  });

  it('are at least 0.5.0, so that clients of other nodes send users in chunks', () => {
    const [[, version = ''] = []] = versions;
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    const [major = 0, minor = 0] = version.split('.').map(Number);
    expect(major > 0 || minor >= 5).toBe(true);
  });

  it('have the licence of the file LICENSE', () => {
    expect(readFileSync(join(ROOT, 'LICENSE'), 'utf8')).toMatch(/^MIT License\n/);
    expect(manifests.filter(({ license }) => license !== 'MIT').map(({ name }) => name)).toEqual([]);
  });
});
