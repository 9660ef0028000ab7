import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { zipSync } from 'fflate';
import { unpackProgram } from './archive.js';
import { programNames, programs } from './programs.js';
import { fakeArchive, fakeProgram } from './testing/fake-program.js';

describe(unpackProgram.name, () => {
  it.each(programNames)('finds %s in its archive', async (name) => {
    const content = await unpackProgram(await fakeArchive(programs[name]), 'asset', programs[name]);
    expect(Buffer.from(content).toString()).toBe(fakeProgram(name));
  });

  it('names the file that is missing', async () => {
    const archive = Buffer.from(zipSync({ 'bin/xray': new Uint8Array(3) }));
    await expect(unpackProgram(archive, 'Xray.zip', programs.xray)).rejects.toThrow('Xray.zip holds no file "xray"');
  });

  it.each([
    ['xray', 'invalid zip data'],
    ['sing-box', 'incorrect header check'],
    ['mihomo', 'incorrect header check'],
  ] as const)('reports a broken archive of %s', async (name, reason) => {
    await expect(unpackProgram(Buffer.from('<html>'), 'asset', programs[name])).rejects.toThrow(
      `asset cannot be unpacked: ${reason}`,
    );
  });

  it('refuses a gzip that holds no tar', async () => {
    const archive = gzipSync(Buffer.alloc(1024, 'x'));
    await expect(unpackProgram(archive, 'asset', programs['sing-box'])).rejects.toThrow(
      'asset cannot be unpacked: Invalid tar',
    );
  });
});
