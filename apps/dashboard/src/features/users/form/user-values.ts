import type { User, UserCreate, UserModify } from '../../../api/types';
import { type Amount, bytesOf, daysOf, gibibytesOf, secondsOf } from '../../../ui/form/units';

const DAY_MS = 86_400_000;

/** The values of the form, under the names that the API has for them, in the units that people use. */
export interface UserValues {
  username: string;
  status: 'active' | 'disabled' | 'on_hold';
  /** GiB; empty: unlimited. */
  data_limit: Amount;
  data_limit_reset_strategy: User['data_limit_reset_strategy'];
  /** The last day, as `2026-11-30` in local time; empty: never. */
  expire: string;
  /** Days; empty where the user is not on hold. */
  on_hold_expire_duration: Amount;
  group_ids: string[];
  note: string;
}

export const NEW_USER: UserValues = {
  username: '',
  status: 'active',
  data_limit: '',
  data_limit_reset_strategy: 'no_reset',
  expire: '',
  on_hold_expire_duration: '',
  group_ids: [],
  note: '',
};

/** The form's values of a user that exists. A user that is expired or limited counts as active: that is what an admin sets. */
export function valuesOf(user: User): UserValues {
  const { status, data_limit, expire, on_hold_expire_duration: hold, group_ids, note } = user;
  return {
    username: user.username,
    status: status === 'disabled' || status === 'on_hold' ? status : 'active',
    data_limit: gibibytesOf(data_limit),
    data_limit_reset_strategy: user.data_limit_reset_strategy,
    expire: expire === 0 ? '' : localDay(new Date(expire)),
    on_hold_expire_duration: daysOf(hold),
    group_ids: group_ids.map(String),
    note: note ?? '',
  };
}

/** A day of the local time zone, as date fields have it. */
export function localDay(moment: Date): string {
  const two = (value: number) => `${value}`.padStart(2, '0');
  return `${moment.getFullYear()}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`;
}

/** The day that is so many days after a moment. */
export const dayAfter = (days: number, now: Date): string => localDay(new Date(now.getTime() + days * DAY_MS));

/** The last moment of a local day. */
export const lastMoment = (day: string): Date => new Date(`${day}T23:59:59`);

/** The end of a local day in unix seconds; 0 for none. */
const endOfDay = (day: string): number => (day === '' ? 0 : Math.floor(lastMoment(day).getTime() / 1000));

/** The body that creates a user. */
export function bodyToCreate(values: UserValues): UserCreate {
  const isOnHold = values.status === 'on_hold';
  return {
    username: values.username.trim(),
    status: isOnHold ? 'on_hold' : 'active',
    data_limit: bytesOf(values.data_limit),
    data_limit_reset_strategy: values.data_limit_reset_strategy,
    ...(isOnHold
      ? { on_hold_expire_duration: secondsOf(values.on_hold_expire_duration) }
      : { expire: endOfDay(values.expire) }),
    ...(values.group_ids.length > 0 && { group_ids: values.group_ids.map(Number) }),
    note: values.note || null,
  };
}

/** A body with the exact figures of a user, which the form shows rounded. */
export const exactly = (body: UserModify, { data_limit, expire, on_hold_expire_duration }: User): UserModify => ({
  ...body,
  ...(body.data_limit !== undefined && { data_limit }),
  ...(body.expire !== undefined && { expire }),
  ...(body.on_hold_expire_duration !== undefined && { on_hold_expire_duration }),
});

/** The body that changes what differs between two states of the form, and nothing that others may have changed meanwhile. */
export function bodyToModify(before: UserValues, after: UserValues): UserModify {
  const body: UserModify = {};
  const differs = (name: keyof UserValues) => JSON.stringify(before[name]) !== JSON.stringify(after[name]);
  if (differs('status')) body.status = after.status;
  if (differs('data_limit')) body.data_limit = bytesOf(after.data_limit);
  if (differs('data_limit_reset_strategy')) body.data_limit_reset_strategy = after.data_limit_reset_strategy;
  if (differs('group_ids')) body.group_ids = after.group_ids.map(Number);
  if (differs('note')) body.note = after.note || null;
  if (after.status === 'on_hold') {
    if (differs('status') || differs('on_hold_expire_duration'))
      body.on_hold_expire_duration = secondsOf(after.on_hold_expire_duration);
    if (differs('status')) body.expire = 0;
  } else if (differs('expire')) body.expire = endOfDay(after.expire);
  return body;
}
