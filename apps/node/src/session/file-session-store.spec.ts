import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { User } from '@rampart/node-client';
import { eventually } from '@rampart/testing';
import { decodeUser, type RawUser, scanUser } from '../wire/raw-user.js';
import { FileSessionStore } from './file-session-store.js';
import type { SavedSession } from './session-store.js';

const terms = { config: { text: '{"inbounds":[]}', excludedInbounds: ['x'] }, keepAlive: 60n, revision: 5n };
const user = (email: string, revision = 0n, password = `password of ${email}`): RawUser =>
  scanUser(
    User.encode(User.fromPartial({ email, revision, proxies: { trojan: { password } }, inbounds: ['in'] })).finish(),
  );
const removal = (email: string, revision: bigint): RawUser =>
  scanUser(User.encode(User.fromPartial({ email, revision, proxies: { trojan: { password: 'gone' } } })).finish());

const readdirIs = async (directory: string, names: string) => (await readdir(directory)).join() === names;

/** A store on a file, and the users that its backend would serve. */
class Saved {
  readonly served = new Map<string, RawUser>();
  readonly warnings: string[] = [];
  readonly store: FileSessionStore;
  /** Distinguishes sets of users in this test. */
  private digest = Buffer.alloc(16);

  constructor(path: string, forgetMs?: number) {
    const { served } = this;
    const options = {
      path,
      onWarning: (text: string) => this.warnings.push(text),
      ...(forgetMs !== undefined && { forgetMs }),
    };
    this.store = new FileSessionStore(options, () => ({
      digest: this.digest,
      allUsers: () => [...served.values()],
    }));
  }

  start(users: readonly RawUser[], revision = terms.revision): Promise<void> {
    this.served.clear();
    for (const one of users) this.served.set(one.email, one);
    this.digest = Buffer.from([...this.served.keys()].join().slice(0, 16));
    return this.store.saveSession({ ...terms, revision }, [...this.served.values()]);
  }

  change(...users: readonly RawUser[]): Promise<void> {
    this.serve(users);
    return this.store.saveUsers(users);
  }

  /** Saves a full set that differs from the previous one in these users. */
  sync(revision: bigint, ...changed: readonly RawUser[]): Promise<void> {
    this.serve(changed);
    this.digest = Buffer.from(`${revision}`.padStart(16));
    return this.store.saveSession({ ...terms, revision }, [...this.served.values()], changed);
  }

  private serve(users: readonly RawUser[]): void {
    for (const one of users) {
      if (one.present) this.served.set(one.email, one);
      else this.served.delete(one.email);
    }
  }
}

describe(FileSessionStore.name, () => {
  let directory: string;
  let path: string;
  const stores: FileSessionStore[] = [];

  const opened = async (forgetMs?: number) => {
    const saved = new Saved(path, forgetMs);
    stores.push(saved.store);
    return { saved, session: await saved.store.loadSession() };
  };
  const decoded = (session: SavedSession | undefined) =>
    session && { ...session, users: session.users.map(decodeUser) };
  const loaded = async () => decoded((await opened()).session);

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'rampart-session-'));
    path = join(directory, 'session');
  });
  afterEach(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()));
    await rm(directory, { recursive: true, force: true });
  });

  it('the session file is empty before the first Start', async () => {
    const { saved, session } = await opened();
    expect(session).toBeUndefined();
    expect(saved.store.problem).toBeUndefined();
    expect(await readdir(directory)).toEqual([]);
  });

  it('the session file has the last Start, with every change since', async () => {
    const { saved } = await opened();
    await saved.start([user('a'), user('b')]);
    await saved.start([user('1.ann', 3n), user('2.bob'), user('3.eve', 5n)]);
    await saved.change(user('2.bob', 6n, 'another'), removal('3.eve', 7n));
    await saved.change(user('4.dan', 8n));
    expect(await loaded()).toEqual({
      ...terms,
      users: [user('1.ann', 3n), user('2.bob', 6n, 'another'), user('4.dan', 8n)].map(decodeUser),
      removed: [{ email: '3.eve', revision: 7n }],
    });
  });

  it('the session file keeps removals until the user returns or a later full set arrives', async () => {
    const { saved } = await opened();
    await saved.start([user('a')]);
    await saved.change(removal('A', 6n), removal('b', 7n), removal('old', 4n), removal('without', 0n));
    await saved.change(user('b', 8n));
    expect(await loaded()).toMatchObject({ users: [{ email: 'b' }], removed: [{ email: 'A', revision: 6n }] });
    await saved.start([user('b', 8n)], 9n);
    expect((await loaded())?.removed).toEqual([]);
  });

  it('only the terms are written when the users are unchanged', async () => {
    const { saved } = await opened();
    await saved.start([user('a'), user('b')]);
    const { length } = await readFile(path);
    await saved.start([user('a'), user('b')], 9n);
    const after = await readFile(path);
    expect(after.length).toBeGreaterThan(length);
    expect(after.toString('latin1').match(/password of a/g)).toHaveLength(1);
    expect(await loaded()).toMatchObject({ revision: 9n, users: [{ email: 'a' }, { email: 'b' }] });
  });

  it('only changed users are written when they are known and few, otherwise all users', async () => {
    const { saved } = await opened();
    await saved.start([user('a'), user('b')]);
    await saved.change(removal('c', 6n));
    await saved.sync(9n, user('b', 0n, 'new'), user('d'));
    const text = (await readFile(path)).toString('latin1');
    expect([text.match(/password of b/g), text.match(/new/g)]).toEqual([['password of b'], ['new']]);
    const users = [user('a'), user('b', 0n, 'new'), user('d')];
    expect(await loaded()).toEqual({ ...terms, revision: 9n, users: users.map(decodeUser), removed: [] });

    await saved.sync(10n, ...Array.from({ length: 10_001 }, (_, index) => user(`${index}.user`)));
    await eventually('it is written anew', async (saw) => !saw(await readFile(path)).includes('password of b'));
    expect((await loaded())?.users).toHaveLength(10_004);
  });

  it('security row 37: the session file has nothing of users who are not in the next full set', async () => {
    const { saved } = await opened();
    await saved.start([user('1.ann'), user('2.bob')]);
    await saved.sync(9n, removal('1.ann', 0n));
    await eventually('it is written anew', async (saw) => !saw(await readFile(path)).includes('ann'));
    await saved.start([user('3.eve')], 10n);
    await eventually('it is written anew', async (saw) => !saw(await readFile(path)).includes('bob'));
    expect((await loaded())?.users).toEqual([user('3.eve')].map(decodeUser));
  });

  it('security row 37: the session file soon has no credentials of removed users, nor former ones, also after a kill', async () => {
    const { saved } = await opened(0);
    await saved.start([user('1.ann'), user('2.bob')]);
    await saved.change(removal('1.ann', 6n), user('2.bob', 7n, 'another'));
    const isClean = async () => !(await readFile(path)).includes('password of');
    await eventually('it is written anew', isClean);
    const session = {
      users: [user('2.bob', 7n, 'another')].map(decodeUser),
      removed: [{ email: '1.ann', revision: 6n }],
    };
    expect(await loaded()).toMatchObject(session);

    const slow = await opened();
    await slow.saved.start([user('1.ann'), user('2.bob')]);
    await slow.saved.change(removal('1.ann', 6n), user('2.bob', 7n, 'another'));
    expect(await isClean()).toBe(false);
    await slow.saved.store.close();
    // Nobody is served yet.
    expect(decoded((await opened(0)).session)).toMatchObject(session);
    await eventually('it is written anew', isClean);
    expect(await loaded()).toMatchObject(session);
  });

  it('the session file keeps no credentials of a user whose removal contains them', async () => {
    const { saved } = await opened();
    await saved.start([]);
    await saved.change(removal('a', 6n));
    expect((await readFile(path)).toString('latin1')).not.toContain('gone');
  });

  it('the session file is deleted after Stop, with all secrets', async () => {
    const { saved } = await opened();
    await saved.start([user('a')]);
    expect((await readFile(path)).toString('latin1')).toContain('password of a');
    await saved.store.deleteSession();
    expect(await readdir(directory)).toEqual([]);
    expect(await loaded()).toBeUndefined();
    await saved.start([user('b')]);
    expect(await loaded()).toMatchObject({ users: [{ email: 'b' }] });
  });

  it('a session file of a later version is moved aside with a warning, and the store starts empty', async () => {
    const { saved } = await opened();
    await saved.start([user('a')]);
    const bytes = await readFile(path);
    bytes['rampart session\n'.length] = 99;
    await rm(path);
    await writeFile(path, bytes);
    const later = await opened();
    expect(later.session).toBeUndefined();
    expect(later.saved.warnings).toEqual([
      `${path} is not a file that this version of the node can read: it is kept as ${path}.unreadable-1`,
    ]);
  });

  it('the session file has a session that existed, wherever its writing was cut off', async () => {
    const { saved } = await opened();
    const states: { readonly length: number; readonly session: unknown }[] = [];
    const now = async (revision = terms.revision) => {
      const { size: length } = await stat(path);
      const session = { ...terms, revision, users: [...saved.served.values()].map(decodeUser) };
      states.unshift({ length, session });
    };
    await saved.start([user('a'), user('b', 3n)]);
    await now();
    await saved.change(user('b', 6n, 'another'));
    await now();
    await saved.change(removal('a', 7n));
    await now();
    await saved.change(user('c'));
    await now();
    await saved.sync(9n, removal('c', 0n), user('b', 9n, 'third'), user('d'));
    await now(9n);
    const bytes = await readFile(path);
    for (let length = bytes.length; length >= 0; length -= 1) {
      await writeFile(path, bytes.subarray(0, length));
      const { removed, ...session } = (await loaded()) ?? {};
      expect(session).toEqual(states.find((state) => state.length <= length)?.session ?? {});
      await stores.pop()?.close();
    }
  });

  it('writing many users lets other work run, and keeps changes made meanwhile', async () => {
    const { saved } = await opened();
    const users = Array.from({ length: 20_000 }, (_, index) => user(`${index}.user`));
    let written = false;
    const started = saved.start(users).then(() => eventually('it is written', () => readdirIs(directory, 'session')));
    const finished = started.then(() => {
      written = true;
    });
    await turn();
    const changed = saved.change(user('1.user', 9n, 'changed'));
    let turns = 0;
    while (!written) {
      await turn();
      turns += 1;
    }
    await Promise.all([finished, changed]);
    // Each part has 256 KiB.
    expect(turns).toBeGreaterThanOrEqual(4);
    const { session } = await opened();
    expect(session?.users).toHaveLength(20_000);
    expect(session?.users.find(({ email }) => email === '1.user')).toMatchObject({ revision: 9n });
  });
});
