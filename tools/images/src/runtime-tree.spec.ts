import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { DEAD_WEIGHT, workspacePackages } from './runtime-tree.mjs';

const ROOT = join(import.meta.dirname, '../../..');

describe('the files of a program at run time', () => {
  it('management comes with the libraries that it depends on, directly or not', () => {
    expect(workspacePackages('apps/management').sort()).toEqual([
      'apps/management',
      'libs/core-config',
      'libs/domain',
      'libs/node-client',
      'libs/probe',
      'libs/program',
      'libs/subscription',
    ]);
  });

  it('the node comes without the library of subscriptions', () => {
    expect(workspacePackages('apps/node').sort()).toEqual([
      'apps/node',
      'libs/core-config',
      'libs/domain',
      'libs/node-client',
      'libs/probe',
      'libs/program',
    ]);
  });

  it.each(['index.d.ts', 'index.js.map', 'source.ts', 'index.d.mts', 'README.md', 'CHANGELOG.markdown'])(
    'a file like %s of a package is left out',
    (name) => expect(DEAD_WEIGHT.test(name)).toBe(true),
  );

  it.each([
    'index.js',
    'index.cjs',
    'package.json',
    'postgres.bki',
    'LICENSE',
    'LICENSE.md',
    'Licence.md',
    'NOTICE.md',
  ])('a file like %s of a package is kept', (name) => expect(DEAD_WEIGHT.test(name)).toBe(false));
});

describe('deploy/.env.example', () => {
  it('has every variable of the compose files, and no other', () => {
    const used = ['compose.yaml', 'compose.node.yaml', 'compose.postgres.yaml'].flatMap((file) => {
      const text = readFileSync(join(ROOT, 'deploy', file), 'utf8');
      return [...text.matchAll(/\$\{(\w+)/g)].map(([, name = '']) => name);
    });
    const example = readFileSync(join(ROOT, 'deploy/.env.example'), 'utf8');
    const listed = [...example.matchAll(/^#?([A-Z_]+)=/gm)].map(([, name = '']) => name);
    expect(used.length).toBeGreaterThan(15);
    expect([...new Set(used)].sort()).toEqual(listed.sort());
  });
});

describe('deploy/Dockerfile', () => {
  it('the compose files name the images and the version that npm run images builds', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'apps/management/package.json'), 'utf8')) as {
      version: string;
    };
    for (const file of ['compose.yaml', 'compose.node.yaml']) {
      const images = readFileSync(join(ROOT, 'deploy', file), 'utf8').match(/(?<=image: ).*/g) ?? [];
      expect(images.length).toBeGreaterThan(0);
      for (const image of images)
        expect(image).toMatch(
          new RegExp(
            `^\\$\\{RAMPART_IMAGES:-ghcr\\.io/rampart-proxy\\}/(?:management|node):\\$\\{RAMPART_VERSION:-${version}\\}$`,
          ),
        );
    }
  });
});
