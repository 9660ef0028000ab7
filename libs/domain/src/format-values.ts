import { byteSize, twoDecimals } from './byte-size.js';
import { isoDate, jalaliDate } from './calendar.js';
import type { FormatValues } from './format.js';
import { statusSymbol, type UserStatus } from './user-status.js';

/** What the format variables tell of a user. */
export interface FormatUser {
  username: string;
  status: UserStatus;
  /** Bytes since the last reset. */
  usedTraffic: number;
  /** Bytes, 0 = unlimited. */
  dataLimit: number;
  /** The end of the subscription, null = never. */
  expire: Date | null;
  /** Seconds that count from the first traffic of a user on hold. */
  onHoldExpireDuration: number | null;
  adminUsername: string | null;
}

/** The service's own public addresses, where they are known. */
export interface ServerAddresses {
  ipv4?: string;
  ipv6?: string;
}

const NONE = '∞';
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const MONTH = 30 * DAY;

/**
 * The values of all format variables that depend on a user, the server and the time. `PROTOCOL` and `TRANSPORT` depend
 * on the host and are left to whoever renders it.
 */
export function formatValues(user: FormatUser, now: Date, server: ServerAddresses = {}): FormatValues {
  const { dataLimit, usedTraffic } = user;
  const limited = dataLimit > 0;
  const seconds = secondsLeft(user, now);
  const date = (write: (date: Date) => string) => {
    if (user.status === 'on_hold') return '-';
    return user.expire === null ? NONE : write(user.expire);
  };
  return {
    SERVER_IP: server.ipv4,
    SERVER_IPV6: server.ipv6 === undefined ? undefined : `[${server.ipv6}]`,
    USERNAME: user.username,
    DATA_USAGE: byteSize(usedTraffic),
    DATA_LIMIT: limited ? byteSize(dataLimit) : NONE,
    DATA_LEFT: limited ? byteSize(Math.max(0, dataLimit - usedTraffic)) : NONE,
    USAGE_PERCENTAGE: limited ? twoDecimals((usedTraffic / dataLimit) * 100) : NONE,
    DAYS_LEFT: seconds === undefined ? NONE : String(daysLeft(seconds, user.status)),
    TIME_LEFT: seconds === undefined ? NONE : timeLeft(seconds),
    EXPIRE_DATE: date(isoDate),
    JALALI_EXPIRE_DATE: date(jalaliDate),
    STATUS_EMOJI: statusSymbol(user.status),
    ADMIN_USERNAME: user.adminUsername ?? undefined,
  };
}

/** On hold, the whole duration is still ahead. */
function secondsLeft(user: FormatUser, now: Date): number | undefined {
  if (user.status === 'on_hold') return user.onHoldExpireDuration ?? undefined;
  return user.expire === null ? undefined : (user.expire.getTime() - now.getTime()) / 1000;
}

/** The day that has begun counts; the duration of a hold has not begun. */
function daysLeft(seconds: number, status: UserStatus): number {
  if (seconds <= 0) return 0;
  const whole = Math.floor(seconds / DAY);
  return status === 'on_hold' ? whole : whole + 1;
}

/** `1m 3d 4h`: months of 30 days, days, hours below a week, minutes below a day. */
function timeLeft(seconds: number): string {
  if (seconds <= 0) return '0';
  const months = Math.floor(seconds / MONTH);
  const days = Math.floor((seconds % MONTH) / DAY);
  const hours = Math.floor((seconds % DAY) / HOUR);
  const minutes = Math.floor((seconds % HOUR) / MINUTE);
  const parts: string[] = [];
  if (months > 0) parts.push(`${months}m`);
  if (days > 0) parts.push(`${days}d`);
  if (hours > 0 && days < 7) parts.push(`${hours}h`);
  if (minutes > 0 && months === 0 && days === 0) parts.push(`${minutes}m`);
  return parts.length > 0 ? parts.join(' ') : '0m';
}
