import { describe, expect, it } from '@jest/globals';
import type { User } from '../../../api/types';
import { formatOf } from '../../../ui/i18n/format';
import { bodyToCreate, bodyToModify, dayAfter, exactly, lastMoment, NEW_USER, valuesOf } from './user-values';

const endOf = (day: string) => Math.floor(new Date(`${day}T23:59:59`).getTime() / 1000);

describe('the form of a user', () => {
  it('becomes the body that creates it', () => {
    const values = { ...NEW_USER, username: ' ali ', data_limit: 1.5, expire: '2026-12-31', group_ids: ['3'] };
    expect(bodyToCreate(values)).toEqual({
      username: 'ali',
      status: 'active',
      data_limit: 1_610_612_736,
      data_limit_reset_strategy: 'no_reset',
      expire: endOf('2026-12-31'),
      group_ids: [3],
      note: null,
    });
  });

  it('on hold has a duration and no end, and without groups it names none', () => {
    const values = {
      ...NEW_USER,
      username: 'ali',
      status: 'on_hold' as const,
      on_hold_expire_duration: 30,
      expire: '2026-12-31',
    };
    expect(bodyToCreate(values)).toEqual({
      username: 'ali',
      status: 'on_hold',
      data_limit: 0,
      data_limit_reset_strategy: 'no_reset',
      on_hold_expire_duration: 2_592_000,
      note: null,
    });
  });

  it('sends only what was changed', () => {
    const user = {
      username: 'ali',
      status: 'expired',
      data_limit: 2 ** 30,
      data_limit_reset_strategy: 'month',
      expire: '2026-01-01T12:00:00Z',
      on_hold_expire_duration: null,
      group_ids: [3],
      note: 'paid',
    } as unknown as User;
    const before = valuesOf(user);
    expect(before).toMatchObject({
      status: 'active',
      data_limit: 1,
      expire: '2026-01-01',
      group_ids: ['3'],
      note: 'paid',
    });
    expect(bodyToModify(before, before)).toEqual({});
    expect(bodyToModify(before, { ...before, expire: '', data_limit: '', note: '' })).toEqual({
      expire: 0,
      data_limit: 0,
      note: null,
    });
    expect(bodyToModify(before, { ...before, status: 'on_hold', on_hold_expire_duration: 2 })).toEqual({
      status: 'on_hold',
      on_hold_expire_duration: 172_800,
      expire: 0,
    });
  });

  it('an undone change restores the exact figures, which the form shows rounded', () => {
    const user = {
      data_limit: 1_234_567_890,
      expire: '2026-01-01T12:00:00Z',
      on_hold_expire_duration: null,
    } as unknown as User;
    expect(exactly({ note: null, data_limit: 1_234_803_098, expire: 1 }, user)).toEqual({
      note: null,
      data_limit: 1_234_567_890,
      expire: '2026-01-01T12:00:00Z',
    });
  });

  it('the days from now are counted in local time', () => {
    expect(dayAfter(30, new Date(2026, 0, 31, 12))).toBe('2026-03-02');
  });

  it('the days from now are those that are said to be left, whatever the hour', () => {
    const left = (hour: number, minute: number) => {
      const now = new Date(2026, 0, 31, hour, minute);
      return formatOf('en').left(lastMoment(dayAfter(30, now)), now.getTime());
    };
    expect([left(0, 45), left(12, 0), left(23, 59)]).toEqual(['30 days', '30 days', '30 days']);
  });
});
