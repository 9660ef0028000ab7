/** Offered while the settings name no applications: names, and links that take `{url}` and `{name}`. */
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

/** The link that opens an application with this subscription: in a query the address is percent-encoded, in a path not. */
export function importLink(template: string, url: string, name: string): string {
  const query = template.indexOf('?');
  const isEncoded = query >= 0 && query < template.indexOf('{url}');
  return template
    .replaceAll('{url}', () => (isEncoded ? encodeURIComponent(url) : url))
    .replaceAll('{base64Url}', () => Buffer.from(url).toString('base64'))
    .replaceAll('{name}', () => encodeURIComponent(name));
}
