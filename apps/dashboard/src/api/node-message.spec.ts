import { describe, expect, it } from '@jest/globals';
import { readNodeMessage } from './node-message';

describe(readNodeMessage.name, () => {
  it('separates refused users and their reasons from sentences about the node', () => {
    const message =
      'inbound a is left out: no port\n2 users refused: 7.ali (key of (another) user), 9.eve (no password)';
    expect(readNodeMessage(message)).toEqual({
      lines: ['inbound a is left out: no port'],
      refused: [
        { user: '7.ali', reason: 'key of (another) user' },
        { user: '9.eve', reason: 'no password' },
      ],
      unnamed: 0,
    });
  });

  it('counts refused users that are not named', () => {
    expect(readNodeMessage('22 users refused: a (x, y), b (z), and 20 more')).toEqual({
      lines: [],
      refused: [
        { user: 'a', reason: 'x, y' },
        { user: 'b', reason: 'z' },
      ],
      unnamed: 20,
    });
  });

  it('keeps a message without users as it is', () => {
    expect(readNodeMessage('cannot reach it')).toEqual({ lines: ['cannot reach it'], refused: [], unnamed: 0 });
    expect(readNodeMessage(null).lines).toEqual([]);
  });
});
