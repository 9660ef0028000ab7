import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { pinnedSum, readPinnedSums, SUMS_FILE } from '../pinned-sums.js';
import { programNames, programs } from '../programs.js';
import { fakeArchive } from '../testing/fake-program.js';
import {
  body,
  publishedSumOf,
  type ReleaseServer,
  releasePaths,
  startReleaseServer,
} from '../testing/release-server.js';
import { Sandbox } from '../testing/sandbox.js';
import { runCommand } from './command.js';

const { xray } = programs;
const { archive: archivePath, sum: sumPath } = releasePaths(xray);
const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex');

describe('--pin', () => {
  let sandbox: Sandbox;
  let server: ReleaseServer;
  let archive: Buffer;
  let file: string;
  let out: string;
  let err: string;

  const run = (...args: string[]) => {
    const screens = {
      out: { write: (text: string) => (out += text) },
      err: { write: (text: string) => (err += text) },
    };
    return runCommand(args, screens, sandbox.options({ site: server.site, sumsFile: file } as object));
  };
  const serve = (content: Buffer): void => {
    for (const asset of Object.values(xray.release.assets)) {
      const path = archivePath.replace(xray.release.assets['linux-x64'], asset);
      server.routes.set(path, body(content)).set(`${path}.dgst`, body(publishedSumOf(xray, content)));
    }
  };
  const pinned = async () => JSON.parse(await readFile(file, 'utf8'));

  beforeEach(async () => {
    sandbox = await Sandbox.create();
    server = await startReleaseServer();
    archive = await fakeArchive(xray);
    file = join(sandbox.folder, 'sums.json');
    [out, err] = ['', ''];
    await writeFile(file, '{}');
  });
  afterEach(async () => {
    await server.close();
    await sandbox.remove();
  });

  it('writes the SHA-256 of every platform and installs nothing', async () => {
    serve(archive);
    expect(await run('xray', '--pin')).toBe(0);
    expect(out).toBe('xray 26.3.27 is pinned for every platform\n');
    const sum = { sha256: sha256(archive) };
    expect(await pinned()).toEqual({
      xray: { '26.3.27': { 'linux-x64': sum, 'linux-arm64': sum, 'darwin-x64': sum, 'darwin-arm64': sum } },
    });
    expect(await sandbox.cacheEntries()).toEqual([]);
  });

  it('writes the reason when the site cannot be reached, and keeps existing sums', async () => {
    serve(archive);
    await run('xray', '--pin');
    const before = await pinned();
    const { host } = server;
    await server.close();
    expect(await run('xray', '--pin')).toBe(1);
    expect(await pinned()).toEqual(before);
    await writeFile(file, '{}');
    expect(await run('xray', '--pin')).toBe(1);
    const missing = { missing: `cannot reach ${host} (ECONNREFUSED)` };
    expect((await pinned()).xray['26.3.27']['linux-x64']).toEqual(missing);
    expect(err).toContain(`xray 26.3.27 linux-x64: ${missing.missing}`);
    server = await startReleaseServer();
  });

  it('changes no entry when the archive differs from the pinned sum', async () => {
    serve(archive);
    await run('xray', '--pin');
    const before = await pinned();
    const other = await fakeArchive(xray, '#!/bin/sh\n');
    serve(other);
    expect(await run('xray', '--pin')).toBe(1);
    expect(err).toContain(
      `xray 26.3.27 linux-x64: the archive has ${sha256(other)}, but ${sha256(archive)} is pinned; nothing is changed`,
    );
    expect(await pinned()).toEqual(before);
  });

  it('refuses an archive that differs from the published sum', async () => {
    serve(archive);
    const other = await fakeArchive(xray, '#!/bin/sh\n');
    server.routes.set(sumPath, body(publishedSumOf(xray, other)));
    expect(await run('xray', '--pin')).toBe(1);
    expect((await pinned()).xray['26.3.27']['linux-x64']).toEqual({
      missing: `Xray-linux-64.zip has the SHA-256 ${sha256(archive)}, but ${sha256(other)} is published`,
    });
  });

  it.each([['--print'], ['--all-for-tests']])('cannot be combined with %s', async (option) => {
    expect(await run('--pin', option)).toBe(2);
    expect(err.startsWith('"--pin" takes a program and nothing else.')).toBe(true);
  });

  it('refuses a damaged table', async () => {
    await writeFile(file, '{"xray": {"26.3.27": {"linux-x64": {"sha256": "abc"}}}}');
    await expect(readPinnedSums(file)).rejects.toThrow(`${file}: xray 26.3.27 linux-x64 is not a SHA-256`);
  });
});

describe('the table in the repository', () => {
  const archives = programNames.flatMap((name) =>
    Object.keys(programs[name].release.assets).map((platform) => [name, platform] as const),
  );

  it.each(archives)('sums.json has a sum of %s for %s, or says why it has none', async (name, platform) => {
    const sum = pinnedSum(await readPinnedSums(SUMS_FILE), programs[name], platform);
    expect('sha256' in sum ? sum.sha256 : sum.missing).not.toBe('the table has no entry for it');
  });
});
