import { appendFile, mkdtemp, open, readdir, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { eventually } from '@rampart/testing';
import { Journal } from './journal.js';

const RETRY_MS = 20;

/** A list of words on disk. */
class Words {
  readonly warnings: string[] = [];
  words: string[] = [];
  intact = true;
  private opened?: Journal;

  static async open(path: string, version = 1, forgetMs = 0): Promise<Words> {
    const list = new Words();
    const { journal, intact } = await Journal.open(
      {
        ...{ path, name: 'words', title: 'the list of words', version, retryMs: RETRY_MS, forgetMs },
        snapshot: () => list.words.map((word) => Buffer.from(word)),
        onWarning: (text) => list.warnings.push(text),
      },
      (record) => list.words.push(Buffer.from(record).toString()),
    );
    list.opened = journal;
    list.intact = intact;
    return list;
  }

  get journal(): Journal {
    if (this.opened === undefined) throw new Error('not open');
    return this.opened;
  }

  say(...words: string[]): Promise<boolean> {
    this.words.push(...words);
    return this.journal.appendRecords(words.map((word) => Buffer.from(word)));
  }
}

describe(Journal.name, () => {
  let directory: string;
  let path: string;
  const lists: Words[] = [];

  const openWords = async (version?: number): Promise<Words> => {
    const list = await Words.open(path, version);
    lists.push(list);
    return list;
  };
  const reopened = async (): Promise<string[]> => (await openWords()).words;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'rampart-journal-'));
    path = join(directory, 'words');
  });
  afterEach(async () => {
    await Promise.all(lists.splice(0).map(({ journal }) => journal.close()));
    await rm(directory, { recursive: true, force: true });
  });

  it('a journal reads back its records in order, from a file that only its owner can read', async () => {
    const list = await openWords();
    expect(list.words).toEqual([]);
    expect(await list.say('one')).toBe(true);
    expect(await list.say('two', 'three')).toBe(true);
    expect(await reopened()).toEqual(['one', 'two', 'three']);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(directory)).toEqual(['words']);
    expect(list.warnings).toEqual([]);
  });

  it('a journal keeps the order of records that are not awaited', async () => {
    const list = await openWords();
    const said = Array.from({ length: 200 }, (_, index) => String(index));
    await Promise.all(said.map((word) => list.say(word)));
    expect(await reopened()).toEqual(said);
  });

  it('a journal is rewritten soon where it has records of what must not stay, and no change is lost meanwhile', async () => {
    const list = await openWords();
    await list.say('secret', 'two');
    list.words.shift();
    list.journal.rewriteSoon();
    list.journal.rewriteSoon();
    await list.say('three');
    await eventually('the secret is gone', async (saw) => !saw(await readFile(path)).includes('secret'));
    await list.say('four');
    expect(await reopened()).toEqual(['two', 'three', 'four']);
    expect(list.warnings).toEqual([]);
  });

  it('a journal cuts off an incomplete last record and appends after the one before it', async () => {
    const said = await openWords();
    await said.say('one');
    await said.say('two');
    await truncate(path, (await stat(path)).size - 1);
    const list = await openWords();
    expect([list.words, list.intact]).toEqual([['one'], true]);
    expect(list.warnings).toEqual([
      `the list of words: the last 10 bytes of ${path} were damaged; the records before them are used`,
    ]);
    await list.say('three');
    expect(await reopened()).toEqual(['one', 'three']);
  });

  it('a journal holds a state that existed, wherever its writing was cut off', async () => {
    const said = ['one', 'two', 'three', 'four'];
    const list = await openWords();
    list.words.push('one');
    await list.say('two');
    const begun = (await stat(path)).size;
    await list.say('three', 'four');
    const bytes = await readFile(path);
    const seen = new Set<number>();
    for (let length = bytes.length; length >= 0; length -= 1) {
      await writeFile(path, bytes.subarray(0, length));
      const { words, intact, journal } = await openWords();
      seen.add(words.length);
      expect([words, intact]).toEqual([said.slice(0, words.length), true]);
      // A journal of which only a part of the initial snapshot was written holds no words.
      expect(words.length).toBe(length < begun ? 0 : Math.max(2, words.length));
      await journal.close();
      expect((await openWords()).words).toEqual(words);
    }
    expect([...seen]).toEqual([4, 3, 2, 0]);
  });

  it('a journal with damaged bytes after its records is not intact, and keeps the records', async () => {
    await (await openWords()).say('one', 'two');
    await appendFile(path, Buffer.alloc(16));
    const list = await openWords();
    expect([list.words, list.intact]).toEqual([['one', 'two'], false]);
  });

  it.each([
    ['of a later version', 'rampart words\n\u0002what comes then'],
    ['of something else', '# not ours\n'],
    ['that is empty', ''],
  ])('a journal moves a file %s aside and starts empty', async (_, content) => {
    await writeFile(path, content);
    await writeFile(`${path}.unreadable-1`, 'an earlier one');
    const list = await openWords();
    expect(list.words).toEqual([]);
    expect(list.warnings).toEqual([
      `${path} is not a file that this version of the node can read: it is kept as ${path}.unreadable-2`,
    ]);
    await list.say('one');
    expect(await readFile(`${path}.unreadable-2`, 'utf8')).toBe(content);
    expect(await reopened()).toEqual(['one']);
  });

  it('a journal can be rewritten from a snapshot, even during a write, and keeps records added meanwhile', async () => {
    const list = await openWords();
    await list.say('one');
    list.words = ['two'];
    const first = list.journal.rewriteFromSnapshot();
    const meanwhile = list.say('three');
    list.words = ['four'];
    const second = list.journal.rewriteFromSnapshot();
    const later = list.say('five');
    expect(await Promise.all([first, meanwhile, second, later])).toEqual([true, true, true, true]);
    expect(await reopened()).toEqual(['four', 'five']);
  });

  it('a cleared journal leaves no file behind, even during a write, and can be used again', async () => {
    const list = await openWords();
    await list.say('secret');
    void list.journal.rewriteFromSnapshot();
    list.words = [];
    await list.journal.clearFiles();
    expect(await readdir(directory)).toEqual([]);
    await list.say('one');
    expect(await reopened()).toEqual(['one']);
  });

  it('a journal uses the new file even when its directory cannot be synced', async () => {
    const list = await openWords();
    await list.say('one');
    const handle = await open(path);
    const sync = jest.spyOn(Object.getPrototypeOf(handle), 'sync');
    await handle.close();
    // The new file is synced twice, then the directory, which also fails when no file can be opened.
    sync.mockResolvedValueOnce(undefined).mockResolvedValueOnce(undefined);
    sync.mockRejectedValueOnce(Object.assign(new Error('sync'), { code: 'EIO' }));
    list.words = ['two'];
    expect(await list.journal.rewriteFromSnapshot()).toBe(false);
    sync.mockRestore();
    expect(list.journal.problem).toContain('EIO, the disk does not work: see the system log');
    await list.say('three');
    await eventually('it is on disk', (saw) => saw(list.journal.problem) === undefined);
    expect(await reopened()).toEqual(['two', 'three']);
  });

  it('a large journal is rewritten soon after it is opened', async () => {
    const first = await openWords();
    await first.say('one');
    await first.journal.appendRecords([Buffer.from('x'.repeat(700_000))]);
    await first.journal.close();
    const later = await openWords();
    later.words = ['one'];
    await later.journal.appendRecords([Buffer.from('y'.repeat(400_000))]);
    await eventually('it is small again', async (saw) => saw(await stat(path)).size < 1000);
    await later.journal.close();
    expect(await reopened()).toEqual(['one']);
  });

  it('a journal is rewritten when it outgrows its snapshot, while records are appended', async () => {
    const list = await openWords();
    const word = 'x'.repeat(1000);
    for (let round = 0; round < 1500; round += 1) {
      list.words = [String(round)];
      await list.journal.appendRecords([Buffer.from(word)]);
    }
    await eventually('it is small again', async (saw) => saw(await stat(path)).size < 1_100_000);
    expect((await reopened()).at(0)).not.toBe(word);
  });

  it('a journal with a full disk reports it, continues in memory, and writes everything when there is space', async () => {
    const list = await openWords();
    // The first file is a device that is always full; it is removed with the draft, and the next one finds
    // space.
    await symlink('/dev/full', `${path}.new`);
    expect(await list.say('one')).toBe(false);
    const problem =
      'the list of words is not on disk: ENOSPC, the disk is full: free some space. ' +
      'The node continues in memory and tries again every 0.02 s';
    expect(list.journal.problem).toBe(problem);
    await list.say('two');
    await eventually('it is on disk', (saw) => saw(list.journal.problem) === undefined);
    expect(list.warnings).toEqual([problem, 'the list of words is on disk again']);
    expect(await reopened()).toEqual(['one', 'two']);
  });

  it('a journal stays readable when the disk becomes full in the middle of a record', async () => {
    const list = await openWords();
    await list.say('one');
    const handle = await open(path);
    const write = jest.spyOn(Object.getPrototypeOf(handle), 'write');
    await handle.close();
    // A part is written, then there is no space: a test cannot make a disk do this at will.
    write.mockImplementationOnce(async () => {
      await appendFile(path, Buffer.alloc(9, 7));
      throw Object.assign(new Error('write'), { code: 'ENOSPC' });
    });
    expect(await list.say('two')).toBe(false);
    write.mockRestore();
    expect(list.journal.problem).toContain('ENOSPC, the disk is full: free some space');
    expect(await reopened()).toEqual(['one']);
    await eventually('it is on disk', (saw) => saw(list.journal.problem) === undefined);
    expect(await reopened()).toEqual(['one', 'two']);
  });

  it('a journal reports that a record is not durable when its directory is gone', async () => {
    const list = await openWords();
    await rm(directory, { recursive: true });
    expect(await list.say('one')).toBe(false);
    expect(list.journal.problem).toMatch(/^the list of words is not on disk: ENOENT: no such file or directory, open /);
  });
});
