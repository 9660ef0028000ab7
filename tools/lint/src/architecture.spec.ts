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

describe(checkArchitecture.name, () => {
  it('accepts imports that follow the arrows', () => {
    const ok = tree({
      'libs/domain/src/index.ts': `import { createHash } from 'node:crypto';\nexport const at = (now: number) => new Date(now);`,
      'libs/subscription/src/index.ts': `import { x } from '@rampart/domain';`,
      'libs/program/src/index.ts': `import { readFileSync } from 'node:fs';\nDate.now();`,
      'apps/management/src/groups/group.service.ts': `import { CoreService } from '../cores/core.service.js';`,
      'apps/management/src/groups/group.service.spec.ts': `import { CoreController } from '../cores/core.controller.js';\nDate.now();`,
      'apps/management/src/env/management-env.ts': `export const env = process.env;`,
      'apps/node/src/node.module.ts': `import { XrayBackend } from './backend/xray/xray-backend.js';`,
    });
    const features = { groups: ['cores'], env: [] };
    expect(checkArchitecture(ok, { features, sharedStatements: {} })).toEqual([]);
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
      'imports @rampart/subscription; apps/node may import core-config, domain, node-client, probe, program',
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
    [
      'apps/dashboard/src/features/users/list.tsx',
      `import { x } from '../nodes/node-list';`,
      'imports apps/dashboard/src/features/nodes/node-list; features may import ui, api',
    ],
    [
      'apps/dashboard/src/ui/page.tsx',
      `import { x } from '../features/users/list';`,
      'imports apps/dashboard/src/features/users/list; ui may import api',
    ],
    [
      'apps/dashboard/src/api/client.ts',
      `import { x } from '../ui/page';`,
      'imports apps/dashboard/src/ui/page; api may import no other folder',
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
      'reaches into apps/management/src/cores/core.controller.ts; call a service of that feature',
    ],
  ])('refuses %s with "%s"', (path, source, problem) => {
    const features = { groups: ['cores'] };
    expect(checkArchitecture(tree({ [path]: source }), { features, sharedStatements: {} })).toEqual([
      `${path}: ${problem}`,
    ]);
  });

  it('lets only the rows of its own feature be imported as values', () => {
    const taken = tree({
      'apps/management/src/cores/core.service.ts': `import { Core } from './core.entity.js';`,
      'apps/management/src/nodes/node.entity.ts': `import { Core } from '../cores/core.entity.js';`,
      'apps/management/src/hosts/host.service.ts': `import type { Core } from '../cores/core.entity.js';`,
      'apps/management/src/groups/sets/group.service.ts': `import { Core } from '../../cores/core.entity.js';`,
    });
    const features = { cores: [], nodes: ['cores'], hosts: ['cores'], groups: ['cores'] };
    expect(checkArchitecture(taken, { features, sharedStatements: {} })).toEqual([
      'apps/management/src/groups/sets/group.service.ts: works on rows of apps/management/src/cores/core.entity.ts; ask a repository or service of cores/',
    ]);
  });

  it('lets a feature of management import those of its row in the table of features alone', () => {
    const taken = tree({
      'apps/management/src/cores/core.service.ts': `import { read } from '../nodes/api/read.js';`,
      'apps/management/src/nodes/api/read.ts': `import { Core } from '../../cores/core.service.js';`,
      'apps/management/src/new/new.ts': `export const x = 1;`,
    });
    const problems = checkArchitecture(taken, { features: { cores: [], nodes: ['cores'] }, sharedStatements: {} });
    expect(problems.slice(0, 2)).toEqual([
      'apps/management/src/cores/core.service.ts: imports apps/management/src/nodes/api/read.ts; cores may import no other feature',
      'apps/management/src/new/new.ts: new is not in the table of features (tools/lint/src/features.mjs): say what it may import',
    ]);
  });

  it('names edges of the table of features that only tests use, or nobody', () => {
    const root = tree({
      'apps/management/src/cores/core.service.ts': `import type { Group } from '../groups/group.js';`,
      'apps/management/src/cores/core.spec.ts': `import { user } from '../users/user.js';`,
      'apps/management/src/groups/group.ts': `export type Group = 1;`,
    });
    const features = { groups: ['errors'], cores: ['groups', 'users'] };
    expect(checkArchitecture(root, { features, sharedStatements: {} })).toEqual([
      'tools/lint/src/features.mjs: no file of groups imports errors; remove it from the row',
      'tools/lint/src/features.mjs: no file of cores imports users; remove it from the row',
    ]);
  });

  it('lets SQL name the tables of its own feature, and those that the table of shared statements lists', () => {
    const root = tree({
      'apps/management/src/users/user.entity.ts': `@Entity('users')\nexport class User {}`,
      'apps/management/src/groups/group.entity.ts': `@Entity({ name: 'groups' })\nexport class Group {}`,
      'apps/management/src/groups/group.repository.ts': 'const sql = `UPDATE groups SET name = $1`;',
      'apps/management/src/groups/members.ts': 'const sql = `SELECT 1 FROM groups JOIN users ON true`;',
      'apps/management/src/groups/count.ts': 'const sql = `DELETE FROM ONLY users`; // Users of a group, FROM text',
      'apps/management/src/groups/group.spec.ts': 'const sql = `TRUNCATE TABLE users`;',
      'docs/architecture.md': 'Statements over two features: (none is listed)',
    });
    const features = { users: [], groups: [] };
    const sharedStatements = { 'groups/members.ts': ['users', 'cores'] };
    expect(checkArchitecture(root, { features, sharedStatements })).toEqual([
      'apps/management/src/groups/count.ts: names the table users in SQL; ask a repository or service of users/',
      'tools/lint/src/features.mjs: groups/members.ts no longer names the table cores; remove the entry',
      'docs/architecture.md: does not list groups/members.ts, whose statements touch tables of two features',
    ]);
  });

  it('finds cycles of files in every package, and leaves those of tests alone', () => {
    const root = tree({
      'libs/domain/src/a.ts': `export * from './b.js';`,
      'libs/domain/src/b.ts': `import type { C } from './c.js';`,
      'libs/domain/src/c.ts': `import { a } from './a.js';`,
      'libs/domain/src/d.ts': `import { a } from './a.js';`,
      'libs/domain/src/d.spec.ts': `import { e } from './testing/e.js';`,
      'libs/domain/src/testing/e.ts': `import { d } from '../d.spec.js';`,
    });
    expect(checkArchitecture(root, { features: {}, sharedStatements: {} })).toEqual([
      'These files import each other in a cycle: libs/domain/src/a.ts, libs/domain/src/b.ts, libs/domain/src/c.ts',
    ]);
  });

  it('finds cycles of scripts, also between packages and through imports inside of functions', () => {
    const root = tree({
      'tools/quickstart/prepare.mjs': `export const prepare = async () => (await import('../bundle/src/bundle.mjs')).bundle();`,
      'tools/bundle/src/bundle.mjs': `import { root } from '../../quickstart/prepare.mjs';`,
      'tools/bundle/main.mjs': `import { prepare } from '../quickstart/prepare.mjs';`,
      'tools/bundle/node_modules/other/a.mjs': `export * from './b.mjs';`,
      'tools/bundle/node_modules/other/b.mjs': `export * from './a.mjs';`,
    });
    expect(checkArchitecture(root, { features: {}, sharedStatements: {} })).toEqual([
      'These files import each other in a cycle: tools/bundle/src/bundle.mjs, tools/quickstart/prepare.mjs',
    ]);
  });

  it('finds cycles of folders at every level, also where their files have none', () => {
    const root = tree({
      'apps/node/src/engine/api/call.ts': `import { read } from '../users/read.js';`,
      'apps/node/src/engine/users/read.ts': `export const read = 1;`,
      'apps/node/src/engine/users/apply.ts': `import { call } from '../api/call.js';\nimport { read } from './read.js';`,
      'apps/node/src/engine/engine.ts': `import { apply } from './users/apply.js';`,
    });
    expect(checkArchitecture(root, { features: {}, sharedStatements: {} })).toEqual([
      'These folders import each other in a cycle: apps/node/src/engine/api, apps/node/src/engine/users ' +
        '(apps/node/src/engine/api/call.ts imports apps/node/src/engine/users/read.ts; ' +
        'apps/node/src/engine/users/apply.ts imports apps/node/src/engine/api/call.ts)',
    ]);
  });

  it('finds a folder that its rooms import and whose files import its rooms', () => {
    const root = tree({
      'apps/node/src/main.ts': `import { engine } from './engine/engine.js';`,
      'apps/node/src/engine/engine.ts': `import { apply } from './users/apply.js';`,
      'apps/node/src/engine/names.ts': `export const names = 1;`,
      'apps/node/src/engine/users/apply.ts': `import { names } from '../names.js';`,
    });
    expect(checkArchitecture(root, { features: {}, sharedStatements: {} })).toEqual([
      'These folders import each other in a cycle: apps/node/src/engine/*, apps/node/src/engine/users ' +
        '(apps/node/src/engine/engine.ts imports apps/node/src/engine/users/apply.ts; ' +
        'apps/node/src/engine/users/apply.ts imports apps/node/src/engine/names.ts)',
    ]);
  });

  it('lets modules of Nest and files that nobody imports compose the rooms beside them', () => {
    const root = tree({
      'apps/node/src/main.ts': `import { app } from './engine/engine.module.js';\nimport { user } from './users/user.js';`,
      'apps/node/src/names.ts': `export const names = 1;`,
      'apps/node/src/users/user.ts': `import { names } from '../names.js';`,
      'apps/node/src/engine/engine.module.ts': `import { apply } from './users/apply.js';`,
      'apps/node/src/engine/names.ts': `export const names = 1;`,
      'apps/node/src/engine/users/apply.ts': `import { names } from '../names.js';`,
    });
    expect(checkArchitecture(root, { features: {}, sharedStatements: {} })).toEqual([]);
  });
});
