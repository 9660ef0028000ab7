import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@rampart/testing';
import { watchSources } from './source-watcher.js';

describe(watchSources.name, () => {
  let root: string;
  let end: (() => Promise<void>) | undefined;
  /** The calls with changed paths. */
  const calls: string[][] = [];
  /** What a call waits for. */
  let work = Promise.resolve();

  const write = (path: string, text = 'export {};\n') => writeFile(join(root, path), text);
  const called = (...paths: string[]) =>
    eventually(`${paths} are reported`, (saw) => saw(paths).every((path) => calls.flat().includes(path)));

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'rampart-watch-'));
    for (const folder of ['apps/one/src/room', 'apps/one/dist', 'libs/two/src'])
      await mkdir(join(root, folder), { recursive: true });
    await write('apps/one/src/old.ts');
    end = await watchSources(root, async (paths) => {
      calls.push(paths.map((path) => relative(root, path)));
      await work;
    });
  });
  beforeEach(() => {
    calls.length = 0;
  });
  afterAll(async () => {
    await end?.();
    await rm(root, { recursive: true });
  });

  it('a new, a changed and a deleted source of an app or a library is reported', async () => {
    await write('apps/one/src/room/new.ts');
    await called('apps/one/src/room/new.ts');
    await write('libs/two/src/index.ts');
    await called('libs/two/src/index.ts');
    await write('apps/one/src/old.ts', 'export const changed = 1;\n');
    await called('apps/one/src/old.ts');
    calls.length = 0;
    await rm(join(root, 'apps/one/src/room/new.ts'));
    await called('apps/one/src/room/new.ts');
  });

  it('tests, declarations, other files and what was built are not reported', async () => {
    for (const path of ['src/old.spec.ts', 'src/old.d.ts', 'src/notes.md', 'dist/old.ts', 'package.json'])
      await write(`apps/one/${path}`);
    await write('apps/one/src/last.ts');
    await called('apps/one/src/last.ts');
    expect(calls).toEqual([['apps/one/src/last.ts']]);
  });

  it('changes during a call are reported after it', async () => {
    const more = ['apps/one/src/a.ts', 'apps/one/src/b.ts', 'libs/two/src/c.ts'];
    // A second watcher tells when changes have been noticed that the first one must not report yet.
    const noticed: string[] = [];
    const endSecond = await watchSources(root, async (paths) => {
      noticed.push(...paths.map((path) => relative(root, path)));
    });
    let finish: () => void = () => undefined;
    work = new Promise((resolve) => {
      finish = resolve;
    });
    await write('apps/one/src/old.ts', 'export const first = 1;\n');
    await called('apps/one/src/old.ts');
    for (const path of more) await write(path);
    await eventually('the second watcher reports them', (saw) => saw(more).every((path) => noticed.includes(path)));
    expect(calls).toEqual([['apps/one/src/old.ts']]);
    finish();
    await called(...more);
    await endSecond();
  });
});
