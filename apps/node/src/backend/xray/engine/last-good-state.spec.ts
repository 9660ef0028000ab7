import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { rawUser } from '../../../testing/raw-users.js';
import type { ManagedInbound } from '../config/managed-inbound.js';
import { UserDirectory } from '../users/user-directory.js';
import type { DesiredState } from './desired-state.js';
import { LastGoodState } from './last-good-state.js';

const STABLE_MS = 30_000;
const TROJAN: ManagedInbound = { tag: 'trojan', handover: 'shared', protocol: 'trojan' };
const INBOUNDS = new Map([[TROJAN.tag, TROJAN]]);

describe(LastGoodState.name, () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  const stateOf = async (plan: object, ...emails: string[]): Promise<DesiredState> => {
    const users = emails.map((email) =>
      rawUser({ email, proxies: { trojan: { password: email } }, inbounds: [TROJAN.tag] }),
    );
    const { directory } = await UserDirectory.fromUsers(INBOUNDS, users);
    return { located: {}, plan: { inbounds: INBOUNDS, ...plan }, directory } as unknown as DesiredState;
  };
  const emailsOf = (state: DesiredState | undefined): string[] =>
    Array.from(state?.directory.allUsers() ?? [], ({ email }) => email);

  it('security row 82: has the same users at each fall-back, those who are still wanted', async () => {
    const good = new LastGoodState(STABLE_MS);
    good.startWatching(await stateOf({}, '1.ann', '2.bob', '3.eve'));
    jest.advanceTimersByTime(STABLE_MS);
    good.stopWatching();
    const failing = await stateOf({}, '1.ann', '2.bob', '4.new');
    for (const _ of [1, 2, 3]) expect(emailsOf(await good.fallbackFor(failing))).toEqual(['1.ann', '2.bob']);
  });
});
