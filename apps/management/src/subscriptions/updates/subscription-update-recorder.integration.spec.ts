import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { until } from '@rampart/testing';
import type { DataSource } from 'typeorm';
import { TestManagement } from '../../testing/test-management.js';
import { SubscriptionUpdateRecorder } from './subscription-update-recorder.js';
import { UpdateTiming } from './update-timing.js';

const TEN_MINUTES_MS = 600_000;

describe('a fetch of a subscription', () => {
  let management: TestManagement;
  let replica: TestManagement;
  const paths: string[] = [];
  beforeAll(async () => {
    management = await TestManagement.start();
    const { options } = management.database;
    const DATABASE_URL = 'url' in options ? String(options.url) : '';
    replica = await TestManagement.start({ DATABASE_URL, RAMPART_DATA_DIR: management.folder });
    for (const username of ['alice', 'bob']) {
      const { body } = await management.call('POST', '/api/user', { username });
      paths.push(new URL(String(Object(body).subscription_url)).pathname);
    }
  });
  afterAll(async () => {
    await replica?.close();
    await management?.close();
  });

  const fetch = (url = '') => management.app.inject({ method: 'GET', url, headers: { 'user-agent': 'Happ/3' } });
  const countAt = async (at: TestManagement, username: string): Promise<number> =>
    Object((await at.call('GET', `/api/user/${username}/sub_update`)).body).count;

  it('is shown by another replica without a pause, and one in the pause after it', async () => {
    Object.assign(management.app.get(UpdateTiming), { minPauseMs: TEN_MINUTES_MS, maxPauseMs: TEN_MINUTES_MS });
    await fetch(paths[0]);
    await until(async (saw) => saw(await countAt(replica, 'alice')) === 1);
    await fetch(paths[1]);
    expect(await countAt(replica, 'bob')).toBe(0);
    expect(await countAt(management, 'bob')).toBe(1);
    expect(await countAt(replica, 'bob')).toBe(1);
  });
});

/** Writes that end when the test ends them. */
class HeldDatabase {
  /** The users of each write. */
  readonly writes: number[][] = [];
  private readonly settle: ((error?: Error) => void)[] = [];
  readonly manager = {
    query: (_sql: string, [userIds]: [number[]]) => {
      this.writes.push(userIds);
      return new Promise<void>((resolve, reject) => {
        this.settle.push((error) => (error ? reject(error) : resolve()));
      });
    },
  };

  end(error?: Error): void {
    this.settle.shift()?.(error);
  }
}

describe(SubscriptionUpdateRecorder, () => {
  let database: HeldDatabase;
  beforeEach(() => {
    database = new HeldDatabase();
  });

  const recorderWith = (timing: Partial<UpdateTiming>) =>
    new SubscriptionUpdateRecorder(database as unknown as DataSource, { ...new UpdateTiming(), ...timing });
  const record = (recorder: SubscriptionUpdateRecorder, ...userIds: number[]) => {
    for (const userId of userIds) recorder.record(userId, 'Happ/3');
  };

  it('SubscriptionUpdateRecorder writes together what comes during a write', async () => {
    const recorder = recorderWith({ minPauseMs: 0, pausePerFetchMs: 0 });
    record(recorder, 1);
    await until((saw) => saw(database.writes).length === 1);
    for (const userId of [2, 3, 4]) {
      record(recorder, userId);
      await new Promise(setImmediate);
    }
    database.end();
    await until((saw) => saw(database.writes).length === 2);
    database.end();
    expect(database.writes).toEqual([[1], [2, 3, 4]]);
  });

  it.each([
    ['few fetches', { minPauseMs: TEN_MINUTES_MS, maxPauseMs: TEN_MINUTES_MS }, undefined],
    ['many fetches', { minPauseMs: 0, pausePerFetchMs: TEN_MINUTES_MS, maxPauseMs: TEN_MINUTES_MS }, undefined],
    ['a failure', { minPauseMs: 0, pausePerFetchMs: 0, maxPauseMs: TEN_MINUTES_MS }, new Error('no disk')],
  ])('SubscriptionUpdateRecorder pauses after %s, until it is told to write', async (_what, timing, error) => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    const recorder = recorderWith(timing);
    const timers = jest.spyOn(globalThis, 'setTimeout');
    record(recorder, 1);
    await until((saw) => saw(database.writes).length === 1);
    record(recorder, 2);
    timers.mockClear();
    database.end(error);
    await until((saw) => saw(timers.mock.calls).some(([, delay]) => Number(delay) > TEN_MINUTES_MS / 2));
    expect(database.writes).toEqual([[1]]);
    const ending = recorder.onApplicationShutdown();
    await until((saw) => saw(database.writes).length === 2);
    database.end();
    await ending;
    expect(database.writes).toEqual([[1], [2]]);
    expect(warn.mock.calls).toEqual(error ? [['1 subscription fetches were not recorded: no disk']] : []);
    jest.restoreAllMocks();
  });
});
