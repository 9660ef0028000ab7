import { describe, expect, it } from '@jest/globals';
import type { ChangeEvent } from '../change-events/change-event.js';
import { visibleTo } from './visible-event.js';

const event = (type: string, key: string | null, owners: ChangeEvent['owners'] = null): ChangeEvent => ({
  id: 1,
  type,
  action: 'modify',
  key,
  owners,
  by: 'root',
});
const SUDO = { id: 1, username: 'root', isSudo: true };
const PLAIN = { id: 2, username: 'plain', isSudo: false };
const USERS_ONLY = { ...SUDO, scope: 'users' } as const;

describe(visibleTo, () => {
  it('visibleTo shows a sudo admin everything, and who did it', () => {
    expect(visibleTo(SUDO, event('core', '2'))).toEqual({ type: 'core', action: 'modify', key: '2', by: 'root' });
  });

  it.each([
    ['own users', event('user', 'a', [2]), true],
    ['users that it gave away', event('user', 'a', [1, 2]), true],
    ['users of others', event('user', 'a', [1]), false],
    ['users of nobody', event('user', 'a', [null]), false],
    ['many users', event('user', null), true],
    ['groups', event('group', '1'), true],
    ['user templates', event('user_template', '1'), true],
    ['itself', event('admin', 'plain'), true],
    ['other admins', event('admin', 'root'), false],
    ['nodes', event('node', '1'), false],
    ['cores', event('core', '1'), false],
    ['hosts', event('host', '1'), false],
    ['settings', event('settings', null), false],
    ['sessions', event('session', '1'), false],
  ])('visibleTo lets a plain admin hear of %s: %j %s', (_, given, isVisible) => {
    const { type, action, key } = given;
    expect(visibleTo(PLAIN, given)).toEqual(isVisible ? { type, action, key } : undefined);
  });

  it('visibleTo keeps a token for users from everything else', () => {
    expect(visibleTo(USERS_ONLY, event('node', '1'))).toBeUndefined();
    expect(visibleTo(USERS_ONLY, event('user', 'a', [7]))).toEqual({ type: 'user', action: 'modify', key: 'a' });
  });
});
