import { describe, expect, it } from '@jest/globals';
import { parseEvent } from './event-stream';

describe(parseEvent.name, () => {
  it('reads id, name and data of an event, whose data may have several lines', () => {
    expect(parseEvent('id: 7\nevent: user\ndata: {"key":"a"}')).toEqual({ id: '7', name: 'user', data: '{"key":"a"}' });
    expect(parseEvent('data: one\ndata:  two')).toEqual({ id: undefined, name: 'message', data: 'one\n two' });
  });

  it('takes a comment for no event', () => {
    expect(parseEvent(': alive')).toBeUndefined();
  });
});
