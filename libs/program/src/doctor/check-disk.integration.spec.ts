import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { checkDisk } from './check-disk.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rampart-disk-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe(checkDisk.name, () => {
  it('tells the free space of a folder, and leaves nothing there', async () => {
    expect(await checkDisk('disk', folder, 'THE_DIR')).toMatchObject({
      seen: expect.stringMatching(new RegExp(`^${folder} has \\d+\\.\\d of \\d+\\.\\d GiB free$`)),
    });
    expect(await readdir(folder)).toEqual([]);
  });

  it('names the setting of a folder that cannot be written', async () => {
    const missing = join(folder, 'none');
    expect(await checkDisk('disk', missing, 'THE_DIR')).toEqual({
      name: 'disk',
      state: 'wrong',
      seen: expect.stringMatching(
        new RegExp(`^${missing} cannot be written: ENOENT: no such file or directory, open `),
      ),
      advice: 'Let this account write there, or set THE_DIR to another folder.',
    });
  });
});
