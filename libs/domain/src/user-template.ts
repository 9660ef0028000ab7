import type { ProxySettings } from './proxy-settings.js';
import { DEFAULT_SHADOWSOCKS_METHOD, type ShadowsocksMethod } from './shadowsocks.js';
import { holdProblem } from './user-state.js';

/** The statuses that a template can give its users. */
export const TEMPLATE_STATUSES = ['active', 'on_hold'] as const;

/** The status that a template gives its users. */
export type TemplateStatus = (typeof TEMPLATE_STATUSES)[number];

/** Flows in templates. `none` and the empty text mean the same; each is stored and returned as it was sent. */
export const TEMPLATE_FLOWS = ['none', '', 'xtls-rprx-vision'] as const;

/** A flow in a template. */
export type TemplateFlow = (typeof TEMPLATE_FLOWS)[number];

/** The settings of a template for the credentials of its users. */
export interface ExtraSettings {
  /** The flow of VLESS; `none` and the empty text mean the same. */
  flow: TemplateFlow;
  /** The method of Shadowsocks; null: that of the user, or of the settings for a new one. */
  method: ShadowsocksMethod | null;
}

/** The fields of a template that decide how long its users are served. */
export interface TemplateTerms {
  status: TemplateStatus;
  /** Duration of the subscription in seconds; 0 = unlimited. */
  expireDuration: number;
  /** Seconds after which a hold ends without any traffic; null = never. */
  onHoldTimeout: number | null;
}

/** The terms of one user, with dates instead of durations. */
export interface UserTerms {
  status: TemplateStatus;
  /** The end of the subscription; null = never. */
  expire: Date | null;
  /** Duration of the subscription in seconds, which begins with the first traffic; null = no hold. */
  onHoldExpireDuration: number | null;
  /** When the hold ends without any traffic; null = never. */
  onHoldTimeout: Date | null;
}

/**
 * Checks that a template with the status `on_hold` has a duration and a timeout.
 *
 * @returns what is wrong, in one sentence for both fields; undefined when nothing is.
 */
export function templateProblem({ status, expireDuration, onHoldTimeout }: TemplateTerms): string | undefined {
  return holdProblem({ status, expire: null, onHoldExpireDuration: onHoldTimeout ? expireDuration : null });
}

/** The terms of a user to whom a template is applied now. The time of a user on hold begins with the first traffic. */
export function termsFromTemplate({ status, expireDuration, onHoldTimeout }: TemplateTerms, now: Date): UserTerms {
  const later = (seconds: number | null) => (seconds ? new Date(now.getTime() + seconds * 1000) : null);
  return status === 'on_hold'
    ? { status, expire: null, onHoldExpireDuration: expireDuration, onHoldTimeout: later(onHoldTimeout) }
    : { status, expire: later(expireDuration), onHoldExpireDuration: null, onHoldTimeout: null };
}

/**
 * Merges the given extra settings over the stored ones. A member that neither has gets its default; a null method is kept.
 */
export function mergeExtraSettings(
  given: { flow?: TemplateFlow | null; method?: ShadowsocksMethod | null },
  stored: ExtraSettings | null,
): ExtraSettings {
  return {
    flow: given.flow ?? stored?.flow ?? 'none',
    method: given.method !== undefined ? given.method : stored ? stored.method : DEFAULT_SHADOWSOCKS_METHOD,
  };
}

/** Credentials with the flow and method of a template. Ids and passwords stay the same; null changes nothing. */
export function withExtraSettings(settings: ProxySettings, extra: ExtraSettings | null): ProxySettings {
  if (extra === null) return settings;
  return {
    ...settings,
    vless: { ...settings.vless, flow: extra.flow === 'none' ? '' : extra.flow },
    shadowsocks: { ...settings.shadowsocks, method: extra.method ?? settings.shadowsocks.method },
  };
}
