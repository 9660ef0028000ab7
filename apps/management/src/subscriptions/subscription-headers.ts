import { type FormatValues, renderFormat } from '@rampart/domain';
import type { ClientRule } from './client-rules.js';
import type { Subscription } from './subscription-reader.js';

interface Shown extends Pick<Subscription, 'settings' | 'url' | 'title' | 'supportUrl'> {
  user: Pick<Subscription['user'], 'username' | 'usedTraffic' | 'dataLimit' | 'expire'>;
}

/**
 * Headers that clients show beside the servers: traffic, end, title and news. Texts are in base64, because headers are
 * ASCII.
 */
export function subscriptionHeaders({ user, settings, url, title, supportUrl }: Shown): Record<string, string> {
  const end = user.expire === null ? 0 : Math.floor(user.expire.getTime() / 1000);
  return {
    'content-disposition': `attachment; ${fileName(user.username)}`,
    'profile-web-page-url': url,
    'profile-title': base64(title),
    'profile-update-interval': String(settings.update_interval),
    'subscription-userinfo': `upload=0; download=${user.usedTraffic}; total=${user.dataLimit}; expire=${end}`,
    ...ifSet('support-url', supportUrl, ascii),
    ...ifSet('announce', settings.announce, base64),
    ...ifSet('announce-url', settings.announce_url, ascii),
  };
}

/** Headers that a rule adds or replaces. */
export function ruleHeaders({ headers }: Pick<ClientRule, 'headers'>, values: FormatValues): Record<string, string> {
  return Object.fromEntries(headers.map(([name, format]) => [name, headerText(name, renderFormat(format, values))]));
}

/** Headers in which clients expect base64, even for plain texts. */
const IN_BASE64: readonly string[] = ['profile-title', 'announce'];

/** The text itself if a header can hold it, else its base64: a variable can stand for any character. */
function headerText(name: string, text: string): string {
  const isPlain = /^[\t\x20-\x7e\xa0-\xff]*$/.test(text);
  return isPlain && (text.startsWith('base64:') || !IN_BASE64.includes(name)) ? text : base64(text);
}

const ifSet = (name: string, text: string, encode: (text: string) => string): Record<string, string> =>
  text === '' ? {} : { [name]: encode(text) };

const base64 = (text: string): string => `base64:${Buffer.from(text).toString('base64')}`;

/** A URL in ASCII, as headers require. */
const ascii = (url: string): string => (URL.canParse(url) ? new URL(url).href : url);

/** A file name as in RFC 6266: other characters than plain ones are percent-encoded. */
function fileName(name: string): string {
  if (/^[\w.@-]+$/.test(name)) return `filename="${name}"`;
  const rest = (sign: string) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
  return `filename*=UTF-8''${encodeURIComponent(name).replace(/['()*]/g, rest)}`;
}
