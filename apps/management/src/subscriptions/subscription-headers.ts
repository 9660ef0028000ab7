import type { Subscriber } from '../users/subscriber.js';

const TITLE = 'Subscription';
const UPDATE_HOURS = 12;

/** What clients show beside the servers: traffic, end, title. Nobody between may keep the answer. */
export function subscriptionHeaders(
  { username, usedTraffic, dataLimit, expire }: Pick<Subscriber, 'username' | 'usedTraffic' | 'dataLimit' | 'expire'>,
  url: string,
): Record<string, string> {
  const end = expire === null ? 0 : Math.floor(expire.getTime() / 1000);
  return {
    'content-disposition': `attachment; ${fileName(username)}`,
    'profile-web-page-url': url,
    'profile-title': `base64:${Buffer.from(TITLE).toString('base64')}`,
    'profile-update-interval': String(UPDATE_HOURS),
    'subscription-userinfo': `upload=0; download=${usedTraffic}; total=${dataLimit}; expire=${end}`,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
  };
}

/** RFC 6266: what is not plain is percent-encoded, because a header takes no other characters. */
function fileName(name: string): string {
  if (/^[\w.@-]+$/.test(name)) return `filename="${name}"`;
  const rest = (sign: string) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
  return `filename*=UTF-8''${encodeURIComponent(name).replace(/['()*]/g, rest)}`;
}
