/** Families of client programs, by the beginning of their User-Agent. The first that matches counts. */
const FAMILIES = [
  ['v2rayng', /^v2rayNG/i],
  ['v2rayn', /^v2rayN/i],
  ['happ', /^Happ/i],
  ['hiddify', /^Hiddify/i],
  ['karing', /^Karing/i],
  ['streisand', /^Streisand/i],
  ['shadowrocket', /^Shadowrocket/i],
  ['v2box', /^V2Box/i],
  ['nekobox', /^Neko(Box|Ray)/i],
  ['inhive', /^InHive/],
  ['clash-verge', /^clash[-. ]?verge/i],
  ['flclash', /^FlClash/i],
  ['mihomo', /^(mihomo|clash[-. ]?meta|clashx meta|clash[-. ]?nyanpasu|flowvy|koala-clash|murge|prizrak-box)/i],
  ['stash', /^Stash/i],
  ['clash', /^clash/i],
  ['sing-box', /^(SF[AIMT]\b|.*sing-?box)/i],
  ['outline', /^(Outline|Shadowsocks|SS)/],
  ['browser', /^Mozilla\//],
] as const satisfies readonly (readonly [string, RegExp])[];

/** A family of client programs. The list is closed, so that strangers cannot make new series of metrics. */
export type ClientFamily = (typeof FAMILIES)[number][0] | 'none' | 'other';

/** The family of a client; `none` for one that sends no User-Agent. */
export const clientFamily = (userAgent: string): ClientFamily =>
  userAgent === '' ? 'none' : (FAMILIES.find(([, pattern]) => pattern.test(userAgent))?.[0] ?? 'other');
