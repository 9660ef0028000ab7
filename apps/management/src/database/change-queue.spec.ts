import { beforeEach, describe, expect, it } from '@jest/globals';
import { ManagementError } from '../errors/management-error.js';
import { ChangeQueue, type ChangeSource } from './change-queue.js';

const source = (name: string, more: Partial<ChangeSource> = {}): ChangeSource => ({
  name,
  maxRunning: 2,
  isRefusable: true,
  ...more,
});
const [HASTY, CALM, OTHER] = [source('hasty'), source('calm'), source('other')];

/** Records the changes that the queue starts; each of them ends when the test calls `end`. */
class Changes {
  readonly begun: string[] = [];
  private readonly ends = new Map<string, () => void>();

  constructor(private readonly queue: ChangeQueue) {}

  add(name: string, of: ChangeSource): Promise<string> {
    return this.queue.run(of, () => {
      this.begun.push(name);
      return new Promise((resolve) => this.ends.set(name, () => resolve(name)));
    });
  }

  async end(name: string): Promise<void> {
    this.ends.get(name)?.();
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** Ends all running changes and those that start afterwards. */
  async endAll(): Promise<void> {
    for (let done = 0; done < this.begun.length; done += 1) await this.end(this.begun[done] ?? '');
  }
}

let queue: ChangeQueue;
let changes: Changes;
beforeEach(async () => {
  queue = new ChangeQueue({ running: 3, waiting: 4 });
  changes = new Changes(queue);
});
const settle = () => new Promise((resolve) => setImmediate(resolve));
const FULL = { code: 'CHANGE_QUEUE_FULL', status: 503, headers: { 'retry-after': '5' } };

describe(ChangeQueue.name, () => {
  it('keeps a place free for other admins, however many changes one admin sends', async () => {
    const all = [1, 2, 3].map((n) => changes.add(`hasty ${n}`, HASTY));
    await settle();
    expect(changes.begun).toEqual(['hasty 1', 'hasty 2']);
    all.push(changes.add('calm', CALM));
    await settle();
    expect(changes.begun).toEqual(['hasty 1', 'hasty 2', 'calm']);
    await changes.endAll();
    expect(await Promise.all(all)).toEqual(['hasty 1', 'hasty 2', 'hasty 3', 'calm']);
  });

  it('alternates between admins, so nobody waits behind all changes of another', async () => {
    queue = new ChangeQueue({ running: 1, waiting: 100 });
    changes = new Changes(queue);
    const all = [1, 2, 3, 4].map((n) => changes.add(`hasty ${n}`, HASTY));
    all.push(changes.add('calm 1', CALM), changes.add('calm 2', CALM), changes.add('other', OTHER));
    await settle();
    await changes.endAll();
    expect(changes.begun).toEqual(['hasty 1', 'calm 1', 'other', 'hasty 2', 'calm 2', 'hasty 3', 'hasty 4']);
    await Promise.all(all);
  });

  it('a full ChangeQueue refuses the newest change of the admin with the most waiting changes', async () => {
    const hasty = [1, 2, 3, 4, 5].map((n) => changes.add(`hasty ${n}`, HASTY));
    const calm = [1, 2, 3].map((n) => changes.add(`calm ${n}`, CALM));
    // Two changes of one admin and one of the other run; five would wait.
    await expect(hasty[4]).rejects.toMatchObject(FULL);
    await expect(changes.add('hasty 6', HASTY)).rejects.toMatchObject(FULL);
    await changes.endAll();
    expect(await Promise.all([...hasty.slice(0, 4), ...calm])).toHaveLength(7);
    expect(await Promise.allSettled([changes.add('later', HASTY), changes.endAll()])).toMatchObject([
      { status: 'fulfilled', value: 'later' },
      { status: 'fulfilled' },
    ]);
  });

  it('never refuses background work', async () => {
    const own = source('background', { isRefusable: false });
    const all = Array.from({ length: 20 }, (_, index) => changes.add(`own ${index}`, own));
    await settle();
    queue.refuseAll();
    await changes.endAll();
    expect(await Promise.all(all)).toHaveLength(20);
  });

  it('refuses all waiting changes when the database hangs, and continues afterwards', async () => {
    const first = [1, 2].map((n) => changes.add(`hasty ${n}`, HASTY));
    const waiting = [3, 4].map((n) => changes.add(`hasty ${n}`, HASTY));
    queue.refuseAll();
    const answers = await Promise.allSettled(waiting);
    expect(answers).toMatchObject(Array(2).fill({ status: 'rejected', reason: { code: 'DATABASE_BUSY' } }));
    await changes.endAll();
    expect(await Promise.all(first)).toEqual(['hasty 1', 'hasty 2']);
    const next = changes.add('next', HASTY);
    await settle();
    await changes.endAll();
    expect(await next).toBe('next');
  });

  it('starts the next change after a failed one', async () => {
    const failing = () => queue.run(HASTY, () => Promise.reject(new ManagementError('USER_NOT_FOUND')));
    for (let times = 0; times < 5; times += 1)
      await expect(failing()).rejects.toMatchObject({ code: 'USER_NOT_FOUND' });
    const next = changes.add('next', HASTY);
    await settle();
    await changes.endAll();
    expect(await next).toBe('next');
  });
});
