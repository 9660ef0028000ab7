import type { ProxySettings } from './proxy-settings.js';
import { DEFAULT_SHADOWSOCKS_METHOD, type ShadowsocksMethod } from './shadowsocks.js';
import { holdProblem } from './user-state.js';

export const TEMPLATE_STATUSES = ['active', 'on_hold'] as const;

/** The status that a template gives its users. */
export type TemplateStatus = (typeof TEMPLATE_STATUSES)[number];

/** `none` and the empty text mean the same, and each caller gets back the one that was sent. */
export const TEMPLATE_FLOWS = ['none', '', 'xtls-rprx-vision'] as const;

export type TemplateFlow = (typeof TEMPLATE_FLOWS)[number];

/** What a template says of the credentials of its users. */
export interface ExtraSettings {
  /** The flow of VLESS; `none` and the empty text mean the same. */
  flow: TemplateFlow;
  /** The method of Shadowsocks; null: that of the user, or of the settings for a new one. */
  method: ShadowsocksMethod | null;
}

/** The part of a template that decides how long its users are served. */
export interface TemplateTerms {
  status: TemplateStatus;
  /** Seconds, 0 = unlimited. */
  expireDuration: number;
  /** Seconds after which a hold ends by itself. */
  onHoldTimeout: number | null;
}

/** The same for one user, as moments. */
export interface UserTerms {
  status: TemplateStatus;
  /** null: never. */
  expire: Date | null;
  /** Seconds that count from the first traffic. */
  onHoldExpireDuration: number | null;
  onHoldTimeout: Date | null;
}

/** Checks that a template on hold says for how long and until when. Returns what is wrong, in one sentence for both. */
export function templateProblem({ status, expireDuration, onHoldTimeout }: TemplateTerms): string | undefined {
  return holdProblem({ status, expire: null, onHoldExpireDuration: onHoldTimeout ? expireDuration : null });
}

/** The terms of a user to whom the template is applied at a moment. On hold, nothing runs until the first traffic. */
export function termsFromTemplate({ status, expireDuration, onHoldTimeout }: TemplateTerms, now: Date): UserTerms {
  const later = (seconds: number | null) => (seconds ? new Date(now.getTime() + seconds * 1000) : null);
  return status === 'on_hold'
    ? { status, expire: null, onHoldExpireDuration: expireDuration, onHoldTimeout: later(onHoldTimeout) }
    : { status, expire: later(expireDuration), onHoldExpireDuration: null, onHoldTimeout: null };
}

/** Extra settings of which a part is given: what is not given stays, or has its default. A method may be none. */
export function mergeExtraSettings(
  given: { flow?: TemplateFlow | null; method?: ShadowsocksMethod | null },
  stored: ExtraSettings | null,
): ExtraSettings {
  return {
    flow: given.flow ?? stored?.flow ?? 'none',
    method: given.method !== undefined ? given.method : stored ? stored.method : DEFAULT_SHADOWSOCKS_METHOD,
  };
}

/** Credentials under a template: the same identities and passwords, its flow and method where it names them. */
export function withExtraSettings(settings: ProxySettings, extra: ExtraSettings | null): ProxySettings {
  if (extra === null) return settings;
  return {
    ...settings,
    vless: { ...settings.vless, flow: extra.flow === 'none' ? '' : extra.flow },
    shadowsocks: { ...settings.shadowsocks, method: extra.method ?? settings.shadowsocks.method },
  };
}
