import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type ProgramName, programNames, programs } from '../programs.js';
import type { InstallContext } from '../strategy.js';
import { fakeArchive, fakeProgram } from '../testing/fake-program.js';
import {
  body,
  half,
  publishedSumOf,
  type ReleaseServer,
  redirect,
  releasePaths,
  startReleaseServer,
} from '../testing/release-server.js';
import { Sandbox, silentReporter } from '../testing/sandbox.js';
import { releaseStrategy } from './release.js';

const { xray } = programs;
const { archive: archivePath, sum: sumPath } = releasePaths(xray);

describe(releaseStrategy.name, () => {
  let sandbox: Sandbox;
  let server: ReleaseServer;
  let archive: Buffer;

  beforeEach(async () => {
    sandbox = await Sandbox.create();
    server = await startReleaseServer();
    archive = await fakeArchive(xray);
    server.routes.set(sumPath, body(publishedSumOf(xray, archive)));
  });

  afterEach(async () => {
    await server.close();
    await sandbox.remove();
  });

  const find = (name: ProgramName = 'xray', more: Partial<InstallContext> = {}) =>
    releaseStrategy.find(programs[name], {
      env: {},
      cacheFolder: sandbox.cache,
      platform: 'linux-x64',
      reporter: silentReporter,
      transfer: { answerMs: 2_000, stallMs: 2_000 },
      site: server.site,
      signal: undefined,
      sums: {},
      ...more,
    });

  const expectFailure = async (reason: string, more: Partial<InstallContext> = {}) => {
    await expect(find('xray', more)).rejects.toThrow(new Error(reason));
    expect(await sandbox.cacheEntries()).toEqual([]);
  };

  it.each(programNames)('installs %s from its release archive', async (name) => {
    const program = programs[name];
    const content = await fakeArchive(program);
    const { archive: path, sum } = releasePaths(program);
    server.routes.set(path, body(content)).set(sum, body(publishedSumOf(program, content)));
    expect(await find(name)).toEqual({ path: sandbox.cached(name), version: program.version });
    expect(await readFile(sandbox.cached(name), 'utf8')).toBe(fakeProgram(name));
    const folder = `${program.executable}-${program.version}`;
    expect(await sandbox.cacheEntries()).toEqual([folder, `${folder}/${program.executable}`]);
  });

  it('reports the progress of a download in percent', async () => {
    const heard: string[] = [];
    server.routes.set(archivePath, body(archive));
    const percent = (activity: string, value: number) => heard.push(`${activity} ${value}`);
    await find('xray', { reporter: { ...silentReporter, percent } });
    expect(heard.at(-1)).toBe('downloading Xray-linux-64.zip 100');
  });

  it('security row 27: refuses an archive with the wrong sum', async () => {
    const other = await fakeArchive(xray, fakeProgram('xray').replace('echo', 'echo ""; echo'));
    server.routes.set(archivePath, body(other));
    const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex');
    await expectFailure(
      `Xray-linux-64.zip has the SHA-256 ${sha256(other)}, but ${sha256(archive)} is published for it`,
    );
  });

  it('security row 27: a pinned sum wins over the one that lies beside the archive, which is not even asked for', async () => {
    const sha256 = createHash('sha256').update(archive).digest('hex');
    const other = await fakeArchive(xray, `${fakeProgram('xray')}# another\n`);
    const sums = { xray: { '26.3.27': { 'linux-x64': { sha256 } } } };
    server.routes.set(archivePath, body(other)).set(sumPath, body(publishedSumOf(xray, other)));
    const otherSum = createHash('sha256').update(other).digest('hex');
    await expectFailure(`Xray-linux-64.zip has the SHA-256 ${otherSum}, but ${sha256} is pinned for it`, { sums });
    expect(server.asked).toEqual([archivePath]);
    server.routes.set(archivePath, body(archive));
    expect(await find('xray', { sums })).toEqual({ path: sandbox.cached('xray'), version: '26.3.27' });
  });

  it('the published sum is used when the table says why it has none', async () => {
    server.routes.set(archivePath, body(archive));
    const sums = { xray: { '26.3.27': { 'linux-x64': { missing: 'the site was away' } } } };
    expect(await find('xray', { sums })).toEqual({ path: sandbox.cached('xray'), version: '26.3.27' });
  });

  it('a connection that is cut in the middle of a download is an error', async () => {
    server.routes.set(archivePath, half(Buffer.alloc(1000), 'cut'));
    await expectFailure(`the connection was cut after 500 of 1000 bytes of ${server.url}${archivePath}`);
  });

  it('a connection that is cut before the first byte is an error', async () => {
    server.routes.set(archivePath, half(Buffer.alloc(1), 'cut'));
    await expectFailure(`the connection was cut after 0 of 1 bytes of ${server.url}${archivePath}`);
  });

  it('a download that stalls ends with an error', async () => {
    server.routes.set(archivePath, half(Buffer.alloc(1000), 'silence'));
    const transfer = { answerMs: 2_000, stallMs: 100 };
    await expectFailure(`${server.host} fell silent after 500 of 1000 bytes of ${server.url}${archivePath}`, {
      transfer,
    });
  });

  it('a site that never answers ends with an error', async () => {
    server.routes.set(sumPath, () => {});
    await expectFailure(`${server.host} did not answer within 0.1 s`, { transfer: { answerMs: 100, stallMs: 2_000 } });
  });

  it('the error names a site that cannot be reached', async () => {
    const closed = await startReleaseServer();
    await closed.close();
    await expectFailure(`cannot reach ${closed.host} (ECONNREFUSED)`, { site: closed.site });
  });

  it.each([
    ['archive', archivePath, 404],
    ['sum', sumPath, 404],
    ['server', sumPath, 503],
  ])('the error names the %s that is missing', async (_what, path, status) => {
    server.routes.set(archivePath, body(archive));
    server.routes.set(path, (_request, response) => response.writeHead(status).end());
    await expectFailure(`${server.url}${path} answers ${status}`);
  });

  it('an archive without a published sum is refused', async () => {
    server.routes.set(sumPath, body('MD5= 0123\n')).set(archivePath, body(archive));
    await expectFailure(`XTLS/Xray-core publishes no SHA-256 for Xray-linux-64.zip (${server.url}${sumPath})`);
    expect(server.asked).toEqual([sumPath]);
  });

  it('redirects are followed up to a limit', async () => {
    server.routes.set(archivePath, redirect('/mirror/file')).set('/mirror/file', body(archive));
    expect(await find()).toEqual({ path: sandbox.cached('xray'), version: '26.3.27' });

    server.routes.set(sumPath, redirect(sumPath));
    await expect(find()).rejects.toThrow(`${server.url}${sumPath} redirects more than 5 times`);
  });

  it('a program of another version is refused even when the sum is right', async () => {
    const older = await fakeArchive(xray, fakeProgram('xray', '26.3.26'));
    server.routes.set(archivePath, body(older)).set(sumPath, body(publishedSumOf(xray, older)));
    await expect(find()).rejects.toThrow('is version 26.3.26, not 26.3.27');
    expect(await sandbox.cacheEntries()).toEqual([]);
  });

  it('the error for an unknown platform names the platforms that have an archive', async () => {
    await expectFailure('none is known for win32-x64', { platform: 'win32-x64' });
  });

  it('an aborted download leaves nothing in the cache', async () => {
    const interruption = new AbortController();
    server.routes.set(archivePath, (request, response) => {
      half(Buffer.alloc(1000), 'silence')(request, response);
      interruption.abort(new Error('interrupted'));
    });
    await expectFailure('interrupted', { signal: interruption.signal });
  });
});
