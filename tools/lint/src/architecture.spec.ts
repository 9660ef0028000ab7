import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { checkArchitecture } from './architecture.mjs';

let root: string;

function tree(files: Record<string, string>): string {
  root = mkdtempSync(join(tmpdir(), 'rampart-lint-'));
  for (const top of ['apps', 'libs', 'tools']) mkdirSync(join(root, top));
  for (const [path, source] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), source);
  }
  return root;
}

afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('checkArchitecture', () => {
  it('lets what follows the arrows pass', () => {
    const ok = tree({
      'libs/domain/src/index.ts': `import { createHash } from 'node:crypto';\nexport const at = (now: number) => new Date(now);`,
      'libs/subscription/src/index.ts': `import { x } from '@rampart/domain';`,
      'libs/program/src/index.ts': `import { readFileSync } from 'node:fs';\nDate.now();`,
      'apps/management/src/groups/group.service.ts': `import { CoreService } from '../cores/core.service.js';`,
      'apps/management/src/groups/group.service.spec.ts': `import { CoreController } from '../cores/core.controller.js';\nDate.now();`,
      'apps/management/src/env/management-env.ts': `export const env = process.env;`,
      'apps/node/src/node.module.ts': `import { XrayBackend } from './backend/xray/xray-backend.js';`,
    });
    expect(checkArchitecture(ok)).toEqual([]);
  });

  it.each([
    [
      'libs/domain/src/a.ts',
      `import { x } from '@rampart/subscription';`,
      'imports @rampart/subscription; libs/domain may import no other package',
    ],
    [
      'apps/node/src/a.ts',
      `import '@rampart/subscription';`,
      'imports @rampart/subscription; apps/node may import core-config, domain, node-client, program',
    ],
    [
      'apps/node/src/a.ts',
      `import x from '../../management/src/main.js';`,
      'reaches into apps/management by a relative path; import the package by its name',
    ],
    [
      'apps/other/src/a.ts',
      `export const x = 1;`,
      'apps/other is not in the table of packages: say what it may import',
    ],
    ['libs/domain/src/a.ts', `import { Injectable } from '@nestjs/common';`, 'a library may not import @nestjs/common'],
    [
      'libs/domain/src/a.ts',
      `const fs = await import('node:fs/promises');`,
      'a library may not import node:fs/promises',
    ],
    [
      'libs/node-client/src/a.ts',
      `const key = process.env.KEY;`,
      'a library may not use process.env and the like; take it as an argument',
    ],
    ['libs/domain/src/a.ts', `const now = Date.now();`, 'a library may not use the clock; take it as an argument'],
    ['libs/domain/src/a.ts', `const n = Math.random();`, 'a library may not use randomness; take it as an argument'],
    ['apps/node/src/session/a.ts', `const key = process.env.KEY;`, 'reads process.env; only the files of env/ do'],
    [
      'apps/node/src/session/a.ts',
      `import { x } from '../backend/xray/api/client.js';`,
      'only backend/xray knows the engine; use the port in backend/backend.ts',
    ],
    [
      'apps/management/src/groups/a.ts',
      `import { x } from '../cores/core.controller.js';`,
      'reaches into apps/management/src/cores/core.controller.ts; call the service of that feature',
    ],
  ])('%s with "%s"', (path, source, problem) => {
    expect(checkArchitecture(tree({ [path]: source }))).toEqual([`${path}: ${problem}`]);
  });

  it('keeps rows with the feature that owns them', () => {
    const taken = tree({
      'apps/management/src/cores/core.service.ts': `import { Core } from './core.entity.js';`,
      'apps/management/src/nodes/node.service.ts': `import { Core } from '../cores/core.entity.js';`,
      'apps/management/src/hosts/host.service.ts': `import type { Core } from '../cores/core.entity.js';`,
      'apps/management/src/groups/group.service.ts': `import { Core } from '../cores/core.entity.js';`,
    });
    expect(checkArchitecture(taken)).toEqual([
      'apps/management/src/groups/group.service.ts: works on rows of core; call the service in cores/',
    ]);
  });
});
