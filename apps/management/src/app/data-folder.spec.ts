import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { OperatorError } from '@rampart/program';
import { prepareDataFolder } from './data-folder.js';

describe(prepareDataFolder.name, () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'rampart-folder-'));
  });
  afterEach(() => rm(root, { recursive: true }));

  it('makes the folder, and leaves one that is there', async () => {
    const folder = join(root, 'a', 'b');
    for (const _ of [1, 2]) await prepareDataFolder(folder);
    expect((await stat(folder)).isDirectory()).toBe(true);
  });

  it('tells in one sentence why the folder cannot be used', async () => {
    await writeFile(join(root, 'file'), '');
    const failure = prepareDataFolder(join(root, 'file', 'data'));
    await expect(failure).rejects.toBeInstanceOf(OperatorError);
    await expect(failure).rejects.toThrow(
      `cannot use the data folder (RAMPART_DATA_DIR): ENOTDIR: not a directory, mkdir '${root}/file/data'. ` +
        'It has to belong to the account of management',
    );
  });
});
