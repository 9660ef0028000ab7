import type { PagePlatform } from './page-platform.js';

/** A page from which an application can be downloaded. */
export interface Download {
  readonly name: string;
  readonly url: string;
}

/** An application that the page offers on a platform while the settings name none. */
export interface KnownApplication {
  readonly name: string;
  /** The link that opens it with a subscription, with `{url}` and `{name}`; empty: it has none. */
  readonly importUrl: string;
  readonly downloads: readonly Download[];
}

const IMPORT_URLS = {
  Happ: 'happ://add/{url}',
  v2rayNG: 'v2rayng://install-sub?url={url}&name={name}',
  v2rayN: '',
  Streisand: 'streisand://import/{url}#{name}',
  V2Box: 'v2box://install-sub?url={url}&name={name}',
  Shadowrocket: 'sub://{base64Url}#{name}',
  'sing-box': 'sing-box://import-remote-profile?url={url}#{name}',
  Hiddify: 'hiddify://import/{url}#{name}',
  Karing: 'karing://install-config?url={url}&name={name}',
  'Clash Verge': 'clash://install-config?url={url}&name={name}',
  FlClash: 'clash://install-config?url={url}&name={name}',
} as const;

const appStore = (id: string): Download => ({ name: 'App Store', url: `https://apps.apple.com/app/id${id}` });
const googlePlay = (id: string): Download => ({
  name: 'Google Play',
  url: `https://play.google.com/store/apps/details?id=${id}`,
});
const gitHub = (repository: string): Download => ({
  name: 'GitHub',
  url: `https://github.com/${repository}/releases/latest`,
});

const known = (name: keyof typeof IMPORT_URLS, ...downloads: Download[]): KnownApplication => ({
  name,
  importUrl: IMPORT_URLS[name],
  downloads,
});

const HAPP_APPLE = known('Happ', appStore('6504287215'));
const HAPP_DESKTOP = known('Happ', gitHub('Happ-proxy/happ-desktop'));
const HIDDIFY_DESKTOP = known('Hiddify', gitHub('hiddify/hiddify-app'));
const KARING_DESKTOP = known('Karing', gitHub('KaringX/karing'));
const CLASH_VERGE = known('Clash Verge', gitHub('clash-verge-rev/clash-verge-rev'));
const FLCLASH = known('FlClash', gitHub('chen08209/FlClash'));
const V2RAYN = known('v2rayN', gitHub('2dust/v2rayN'));
const APPLE = [
  known('Streisand', appStore('6450534064')),
  known('V2Box', appStore('6446814690')),
  known('Shadowrocket', appStore('932747118')),
  known('sing-box', appStore('6673731168')),
  known('Hiddify', appStore('6596777532')),
  known('Karing', appStore('6472431552')),
];
const ANDROID = [
  known('v2rayNG', googlePlay('com.v2ray.ang'), gitHub('2dust/v2rayNG')),
  known('Happ', googlePlay('com.happproxy'), gitHub('Happ-proxy/happ-android')),
  known('Hiddify', googlePlay('app.hiddify.com'), gitHub('hiddify/hiddify-app')),
  known('sing-box', googlePlay('io.nekohasekai.sfa'), gitHub('SagerNet/sing-box')),
  KARING_DESKTOP,
  FLCLASH,
];

/** The first of each platform is recommended: it takes every kind of server. Televisions get what their users can install. */
export const KNOWN_APPLICATIONS: Readonly<Record<PagePlatform, readonly KnownApplication[]>> = {
  android: ANDROID,
  ios: [HAPP_APPLE, ...APPLE],
  windows: [HAPP_DESKTOP, CLASH_VERGE, V2RAYN, HIDDIFY_DESKTOP, FLCLASH, KARING_DESKTOP],
  macos: [HAPP_APPLE, CLASH_VERGE, FLCLASH, HIDDIFY_DESKTOP, ...APPLE.slice(0, 2)],
  linux: [HAPP_DESKTOP, CLASH_VERGE, V2RAYN, HIDDIFY_DESKTOP, FLCLASH],
  androidtv: ANDROID.slice(0, 3),
  appletv: APPLE.filter(({ name }) => name === 'Karing' || name === 'sing-box'),
};

/**
 * The link that opens an application with a subscription. The URL is percent-encoded inside a query, but not inside a
 * path.
 */
export function importLink(template: string, url: string, name: string): string {
  const query = template.indexOf('?');
  const isEncoded = query >= 0 && query < template.indexOf('{url}');
  return template
    .replaceAll('{url}', () => (isEncoded ? encodeURIComponent(url) : url))
    .replaceAll('{base64Url}', () => Buffer.from(url).toString('base64'))
    .replaceAll('{name}', () => encodeURIComponent(name));
}
