/** A share link, parsed independently of the code under test: only the link formats are used. */
export interface ParsedLink {
  readonly scheme: string;
  /** The id, the password, or `method:password`. */
  readonly user: string;
  readonly host: string;
  readonly port: number;
  readonly name: string;
  readonly parameters: Readonly<Record<string, string>>;
}

export function parseLink(link: string): ParsedLink {
  const scheme = link.slice(0, link.indexOf('://'));
  return scheme === 'vmess' ? parseVmess(link.slice('vmess://'.length)) : parseUrl(scheme, link);
}

function parseUrl(scheme: string, link: string): ParsedLink {
  const url = new URL(link);
  const user = decodeURIComponent(url.password === '' ? url.username : `${url.username}:${url.password}`);
  const pairs = url.search
    .slice(1)
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => pair.split('='));
  return {
    scheme,
    user: scheme === 'ss' && !user.includes(':') ? Buffer.from(user, 'base64url').toString() : user,
    host: decodeURIComponent(url.hostname).replace(/^\[|\]$/g, ''),
    port: Number(url.port),
    name: decodeURIComponent(url.hash.slice(1)),
    parameters: Object.fromEntries(pairs.map(([key = '', value = '']) => [key, decodeURIComponent(value)])),
  };
}

function parseVmess(base64: string): ParsedLink {
  const fields: Record<string, string> = JSON.parse(Buffer.from(base64, 'base64').toString('latin1'));
  const { id = '', add = '', port, ps = '', ...parameters } = fields;
  return { scheme: 'vmess', user: id, host: add, port: Number(port), name: ps, parameters };
}
