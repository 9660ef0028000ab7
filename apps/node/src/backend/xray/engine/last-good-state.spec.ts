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

  const userNamed = (email: string) =>
    rawUser({ email, proxies: { trojan: { password: email } }, inbounds: [TROJAN.tag] });
  const stateOf = async (plan: object, ...emails: string[]): Promise<DesiredState> => {
    const { directory } = await UserDirectory.fromUsers(INBOUNDS, emails.map(userNamed));
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

  it('security row 84: forgets nobody while a fall-back runs, whose users may be fewer', async () => {
    const good = new LastGoodState(STABLE_MS);
    const plan = { source: { text: 'one' } };
    good.startWatching(await stateOf(plan, '1.ann', '2.bob'));
    jest.advanceTimersByTime(STABLE_MS);
    const reduced = await good.fallbackFor(await stateOf({ source: { text: 'two' } }, '1.ann'));
    expect(emailsOf(reduced)).toEqual(['1.ann']);
    if (reduced) good.startWatchingFallback(reduced);
    jest.advanceTimersByTime(STABLE_MS);
    const { describeState } = good;
    jest.advanceTimersByTime(24 * 3_600_000);
    expect(good.describeState).toBe(describeState);
    const again = await stateOf({ source: { text: 'two' } }, '1.ann', '2.bob', '3.eve');
    expect(emailsOf(await good.fallbackFor(again))).toEqual(['1.ann', '2.bob']);
  });

  it('keeps users who have come while a fall-back ran, once it has run with them for a while', async () => {
    const good = new LastGoodState(STABLE_MS);
    const [before, failing] = [{ source: { text: 'one' } }, { source: { text: 'two' } }];
    good.startWatching(await stateOf(before, '1.ann'));
    jest.advanceTimersByTime(STABLE_MS);
    const wanted = await stateOf(failing, '1.ann', '2.bob');
    const fallback = await good.fallbackFor(wanted);
    expect(emailsOf(fallback)).toEqual(['1.ann']);
    if (!fallback) return;
    await fallback.directory.changeUsers([userNamed('2.bob')]);
    good.startWatchingFallback(fallback);
    jest.advanceTimersByTime(STABLE_MS - 1);
    expect(emailsOf(await good.fallbackFor(wanted))).toEqual(['1.ann']);
    jest.advanceTimersByTime(1);
    expect(emailsOf(await good.fallbackFor(wanted))).toEqual(['1.ann', '2.bob']);
  });

  it('takes users for good only when the engine has run with them for a while', async () => {
    const good = new LastGoodState(STABLE_MS);
    const running = await stateOf({ source: { text: 'one' } }, '1.ann');
    good.startWatching(running);
    jest.advanceTimersByTime(STABLE_MS + 600_000 - 1);
    await running.directory.changeUsers([userNamed('2.bob')]);
    jest.advanceTimersByTime(STABLE_MS);
    expect(emailsOf(await good.fallbackFor(running))).toEqual(['1.ann']);
    jest.advanceTimersByTime(1);
    expect(await good.fallbackFor(running)).toBeUndefined();
  });

  it('is no fall-back for the same configuration that was sent again', async () => {
    const good = new LastGoodState(STABLE_MS);
    good.startWatching(await stateOf({ source: { text: 'one' } }, '1.ann', '2.bob'));
    jest.advanceTimersByTime(STABLE_MS);
    expect(await good.fallbackFor(await stateOf({ source: { text: 'one' } }, '2.bob', '1.ann'))).toBeUndefined();
    expect(await good.fallbackFor(await stateOf({ source: { text: 'one' } }, '1.ann'))).toBeUndefined();
  });
});
