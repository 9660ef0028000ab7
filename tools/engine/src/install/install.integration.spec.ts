import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { programs } from '../programs.js';
import { fakeArchive, fakeProgram } from '../testing/fake-program.js';
import {
  body,
  publishedSumOf,
  type ReleaseServer,
  releasePaths,
  startReleaseServer,
} from '../testing/release-server.js';
import { Sandbox } from '../testing/sandbox.js';
import { installProgram } from './install.js';

const { xray } = programs;
const paths = releasePaths(xray);

describe(installProgram.name, () => {
  let sandbox: Sandbox;
  let server: ReleaseServer;
  let own: string;

  beforeEach(async () => {
    sandbox = await Sandbox.create();
    own = join(sandbox.folder, 'own/xray');
    server = await startReleaseServer();
    const archive = await fakeArchive(xray);
    server.routes.set(paths.archive, body(archive)).set(paths.sum, body(publishedSumOf(xray, archive)));
  });

  afterEach(async () => {
    await server.close();
    await sandbox.remove();
  });

  const install = (env = {}) => installProgram('xray', sandbox.options({ site: server.site, env }));

  it('prefers the named file, then PATH, then the cache, then the release', async () => {
    const cached = sandbox.cached('xray');
    const expectations = [
      { strategy: 'release', path: cached, prepare: undefined },
      { strategy: 'cache', path: cached, prepare: undefined },
      { strategy: 'path', path: join(sandbox.bin, 'xray'), prepare: 'xray' },
      { strategy: 'variable', path: own, prepare: own },
    ];
    for (const { strategy, path, prepare } of expectations) {
      if (prepare) await sandbox.place(prepare, fakeProgram('xray'));
      const env = prepare === own ? { XRAY_EXECUTABLE_PATH: own } : {};
      expect(await install(env)).toEqual({ strategy, path, version: '26.3.27' });
    }
    expect(server.asked).toEqual([paths.sum, paths.archive]);
  });

  it('reports each strategy that it tries and its result', async () => {
    await install();
    const cached = sandbox.cached('xray');
    expect(sandbox.lines).toEqual([
      'xray 26.3.27: XRAY_EXECUTABLE_PATH: not set',
      'xray 26.3.27: PATH: no xray on it',
      `xray 26.3.27: cache: ${cached} does not exist`,
      `xray 26.3.27: downloading Xray-linux-64.zip from ${server.url}`,
      `xray 26.3.27: release archive: ${cached}`,
    ]);
  });

  it('an executable of another version that the operator names is used with a warning', async () => {
    await sandbox.place(own, fakeProgram('xray', '25.1.1'));
    expect(await install({ XRAY_EXECUTABLE_PATH: own })).toEqual({
      strategy: 'variable',
      path: own,
      version: '25.1.1',
    });
    expect(sandbox.lines).toEqual([
      'Warning: XRAY_EXECUTABLE_PATH names version 25.1.1; Rampart is tested with xray 26.3.27.',
      `xray 25.1.1: XRAY_EXECUTABLE_PATH: ${own}`,
    ]);
  });

  it.each([
    ['is missing', async () => {}, () => `${own} does not exist`],
    ['is a folder', () => mkdir(own, { recursive: true }), () => `${own} is not an executable file`],
    [
      'is another program',
      () => sandbox.place(own, '#!/bin/sh\necho hello\n'),
      () => `${own} does not answer like xray: hello`,
    ],
    [
      'fails',
      () => sandbox.place(own, '#!/bin/sh\nexit 3\n'),
      () => `${own} does not run: Command failed: ${own} version`,
    ],
    [
      'may not be executed',
      async () => chmod(await sandbox.place(own, fakeProgram('xray')), 0o644),
      () => `${own} is not an executable file`,
    ],
  ])('reports it and tries the next strategy when the named file %s', async (_case, prepare, reason) => {
    await prepare();
    expect(await install({ XRAY_EXECUTABLE_PATH: own })).toMatchObject({ strategy: 'release' });
    expect(sandbox.lines[0]).toBe(`xray 26.3.27: XRAY_EXECUTABLE_PATH: ${reason()}`);
  });

  it('an executable on PATH is used only in the pinned version', async () => {
    const wrong = await sandbox.place('xray', fakeProgram('xray', '26.7.28'));
    expect(await install()).toMatchObject({ strategy: 'release' });
    expect(sandbox.lines[1]).toBe(`xray 26.3.27: PATH: ${wrong} is version 26.7.28, not 26.3.27`);

    const second = join(sandbox.folder, 'second');
    await sandbox.place(join(second, 'xray'), fakeProgram('xray'));
    expect(await install({ PATH: `${sandbox.bin}:${second}` })).toMatchObject({
      strategy: 'path',
      path: join(second, 'xray'),
    });
  });

  it.each([
    ['does not run', 'garbage'],
    ['is another version', fakeProgram('xray', '26.3.26')],
  ])('a cached file is replaced when it %s', async (_case, content) => {
    const cached = await sandbox.place(sandbox.cached('xray'), content);
    expect(await install()).toEqual({ strategy: 'release', path: cached, version: '26.3.27' });
    expect(await readFile(cached, 'utf8')).toBe(fakeProgram('xray'));
    expect(await sandbox.cacheEntries()).toEqual(['xray-26.3.27', 'xray-26.3.27/xray']);
  });

  it('concurrent installs of the same program all succeed', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => install()));
    expect(new Set(all.map(({ path, version }) => `${path} ${version}`))).toEqual(
      new Set([`${sandbox.cached('xray')} 26.3.27`]),
    );
    expect(await sandbox.cacheEntries()).toEqual(['xray-26.3.27', 'xray-26.3.27/xray']);
  });

  it('the error names every strategy with its reason when none works', async () => {
    server.routes.clear();
    await sandbox.place('xray', fakeProgram('xray', '26.7.28'));
    await sandbox.place('go', '#!/bin/sh\necho "go: first" >&2\necho "go: dial tcp: refused" >&2\nexit 1\n');
    await expect(install({ XRAY_EXECUTABLE_PATH: own })).rejects.toThrow(
      new Error(`xray 26.3.27 is not available:
  XRAY_EXECUTABLE_PATH: ${own} does not exist
  PATH: ${sandbox.bin}/xray is version 26.7.28, not 26.3.27
  cache: ${sandbox.cached('xray')} does not exist
  release archive: ${server.url}${paths.sum} answers 404
  Go: go build ended with exit code 1: go: first
    go: dial tcp: refused
What to do: let this machine reach github.com or proxy.golang.org (the latter with Go installed), or set XRAY_EXECUTABLE_PATH to an executable of version 26.3.27.`),
    );
    expect(await sandbox.cacheEntries()).toEqual([]);
  });

  it('the error names a cache folder that cannot be written', async () => {
    await writeFile(sandbox.cache, 'a file where a folder should be');
    await expect(install()).rejects.toThrow(
      `release archive: ENOTDIR: not a directory, mkdir '${sandbox.cache}/engine'`,
    );
  });

  it('an aborted install does nothing', async () => {
    const signal = AbortSignal.abort(new Error('interrupted'));
    await expect(installProgram('xray', sandbox.options({ site: server.site, signal }))).rejects.toThrow('interrupted');
    expect(server.asked).toEqual([]);
  });
});
