import { describe, expect, it } from '@jest/globals';
import type { ChangeEvent } from './change-event.js';
import { ChangeFeed } from './change-feed.js';

const event = (id: number): ChangeEvent => ({ id, type: 'host', action: 'modify', key: '1', owners: null, by: 'root' });

function filled(...ids: number[]): ChangeFeed {
  const feed = new ChangeFeed();
  for (const id of ids) feed.receive(JSON.stringify(event(id)));
  return feed;
}

describe(ChangeFeed, () => {
  it('ChangeFeed tells its readers each event once, until they leave', () => {
    const feed = filled();
    const seen: unknown[] = [];
    const leave = feed.add({ happened: ({ id }) => seen.push(id), missed: () => seen.push('missed') });
    feed.receive(JSON.stringify(event(5)));
    feed.restart();
    leave();
    feed.receive(JSON.stringify(event(6)));
    expect(seen).toEqual([5, 'missed']);
  });

  it('ChangeFeed knows what came after an event, in the order of arrival', () => {
    const feed = filled(3, 9, 4);
    expect(feed.after(9)?.map(({ id }) => id)).toEqual([4]);
    expect(feed.after(4)).toEqual([]);
    expect(feed.after(5)).toBeUndefined();
    expect(feed.lastId).toBe(4);
    feed.restart();
    expect([feed.after(4), feed.lastId]).toEqual([undefined, undefined]);
  });

  it('ChangeFeed tells nobody of an entry without a change, but knows what came after it', () => {
    const feed = filled(3);
    const seen: number[] = [];
    feed.add({ happened: ({ id }) => seen.push(id), missed: () => undefined });
    feed.receive('{"id":4,"type":null}');
    feed.receive(JSON.stringify(event(5)));
    expect(seen).toEqual([5]);
    expect(feed.after(3)?.map(({ id }) => id)).toEqual([5]);
    expect(feed.after(4)?.map(({ id }) => id)).toEqual([5]);
  });

  it('ChangeFeed keeps a limited number of events', () => {
    const feed = filled(...Array.from({ length: 10_000 }, (_, index) => index));
    expect(feed.after(9_000)).toHaveLength(999);
    expect(feed.after(5_000)).toBeUndefined();
  });

  it.each(['', '{', '5', '{"id":1}', '{"id":"1","type":"a","action":"b","key":null,"owners":null,"by":null}'])(
    'ChangeFeed ignores the notification %j',
    (payload) => {
      const feed = new ChangeFeed();
      feed.receive(payload);
      expect(feed.lastId).toBeUndefined();
    },
  );
});
