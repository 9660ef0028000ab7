/** Applications that are offered while the settings name none, with links that contain `{url}` and `{name}`. */
export const KNOWN_APPLICATIONS: readonly (readonly [name: string, importUrl: string])[] = [
  ['Happ', 'happ://add/{url}'],
  ['v2rayNG', 'v2rayng://install-sub?url={url}&name={name}'],
  ['Streisand', 'streisand://import/{url}#{name}'],
  ['V2Box', 'v2box://install-sub?url={url}&name={name}'],
  ['Shadowrocket', 'sub://{base64Url}#{name}'],
  ['sing-box', 'sing-box://import-remote-profile?url={url}#{name}'],
  ['Hiddify', 'hiddify://import/{url}#{name}'],
  ['Karing', 'karing://install-config?url={url}&name={name}'],
  ['Clash, FlClash, mihomo', 'clash://install-config?url={url}&name={name}'],
];

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
