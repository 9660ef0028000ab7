import { formatByteSize, twoDecimals } from './byte-size.js';
import { isoDate, jalaliDate } from './calendar.js';
import type { FormatValues } from './format.js';
import { statusSymbol, type UserStatus } from './user-status.js';

/** The fields of a user that format variables show. */
export interface FormatUser {
  username: string;
  status: UserStatus;
  /** Bytes since the last reset. */
  usedTraffic: number;
  /** Bytes; 0 = unlimited. */
  dataLimit: number;
  /** The end of the subscription; null = never. */
  expire: Date | null;
  /** Duration of the subscription in seconds, which begins with the first traffic of a user on hold. */
  onHoldExpireDuration: number | null;
  adminUsername: string | null;
}

/** The public addresses of the service, as far as they are known. IPv6 has no brackets. */
export interface ServerAddresses {
  ipv4?: string;
  ipv6?: string;
}

/** Shown instead of a limit or an end that the user does not have. */
const UNLIMITED = '∞';
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const MONTH = 30 * DAY;

/**
 * The values of all format variables that depend on a user, the server and the time (contract: "Format variables").
 * `PROTOCOL` and `TRANSPORT` depend on the inbound and are not among them.
 */
export function formatValues(user: FormatUser, now: Date, server: ServerAddresses = {}): FormatValues {
  return new UserValues(user, now, server);
}

/** Each value is computed when it is read, because a request needs few of them. */
class UserValues implements FormatValues {
  constructor(
    private readonly user: FormatUser,
    private readonly now: Date,
    private readonly server: ServerAddresses,
  ) {}

  get SERVER_IP(): string | undefined {
    return this.server.ipv4;
  }

  get SERVER_IPV6(): string | undefined {
    return this.server.ipv6 === undefined ? undefined : `[${this.server.ipv6}]`;
  }

  get USERNAME(): string {
    return this.user.username;
  }

  get DATA_USAGE(): string {
    return formatByteSize(this.user.usedTraffic);
  }

  get DATA_LIMIT(): string {
    return this.user.dataLimit > 0 ? formatByteSize(this.user.dataLimit) : UNLIMITED;
  }

  get DATA_LEFT(): string {
    const { dataLimit, usedTraffic } = this.user;
    return dataLimit > 0 ? formatByteSize(Math.max(0, dataLimit - usedTraffic)) : UNLIMITED;
  }

  get USAGE_PERCENTAGE(): string {
    const { dataLimit, usedTraffic } = this.user;
    return dataLimit > 0 ? twoDecimals((usedTraffic / dataLimit) * 100) : UNLIMITED;
  }

  get DAYS_LEFT(): string {
    const seconds = secondsLeft(this.user, this.now);
    return seconds === undefined ? UNLIMITED : String(daysLeft(seconds, this.user.status));
  }

  get TIME_LEFT(): string {
    const seconds = secondsLeft(this.user, this.now);
    return seconds === undefined ? UNLIMITED : timeLeft(seconds);
  }

  get EXPIRE_DATE(): string {
    return endOf(this.user, isoDate);
  }

  get JALALI_EXPIRE_DATE(): string {
    return endOf(this.user, jalaliDate);
  }

  get STATUS_EMOJI(): string {
    return statusSymbol(this.user.status);
  }

  get ADMIN_USERNAME(): string | undefined {
    return this.user.adminUsername ?? undefined;
  }
}

function endOf({ status, expire }: FormatUser, write: (date: Date) => string): string {
  if (status === 'on_hold') return '-';
  return expire === null ? UNLIMITED : write(expire);
}

/** Seconds until the end; undefined = no end. For a user on hold this is the whole duration. */
function secondsLeft(user: FormatUser, now: Date): number | undefined {
  if (user.status === 'on_hold') return user.onHoldExpireDuration ?? undefined;
  return user.expire === null ? undefined : (user.expire.getTime() - now.getTime()) / 1000;
}

/** A day that has begun counts as a whole one. The duration of a user on hold has not begun, so whole days count. */
function daysLeft(seconds: number, status: UserStatus): number {
  if (seconds <= 0) return 0;
  const whole = Math.floor(seconds / DAY);
  return status === 'on_hold' ? whole : whole + 1;
}

/** Formats a duration such as `1m 3d 4h`: months of 30 days, days, hours (below a week) and minutes (below a day). */
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
