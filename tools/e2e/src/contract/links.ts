/** A share link of any scheme, parsed independently of the code under test. */
export interface Link {
  readonly scheme: string;
  /** The part before the @: the UUID or password, percent-encoded. */
  readonly credentials: string;
  readonly address: string;
  readonly port: number;
  readonly remark: string;
  readonly query: Readonly<Record<string, string>>;
}

type VmessLink = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly add: string;
  readonly port: number | string;
  readonly ps: string;
};

/** Fetches the links of a user's subscription, in order. */
export async function linksOf(user: { readonly subscription_url: string }): Promise<Link[]> {
  const answer = await fetch(`${user.subscription_url}/links`);
  if (answer.status !== 200) throw new Error(`${user.subscription_url}/links answered ${answer.status}`);
  return (await answer.text()).split('\n').filter(Boolean).map(readLink);
}

export const remarksOf = async (user: { readonly subscription_url: string }): Promise<string[]> =>
  (await linksOf(user)).map(({ remark }) => remark);

export function readLink(text: string): Link {
  const [, scheme, rest] = /^([a-z]+):\/\/(.*)$/.exec(text) ?? [];
  if (scheme === undefined || rest === undefined) throw new Error(`not a link: ${text}`);
  if (scheme === 'vmess') return readVmess(JSON.parse(Buffer.from(rest, 'base64').toString()) as VmessLink);
  const [, credentials, address, port, query, remark] =
    /^(.*)@(\[.*\]|[^:]*):(\d+)(?:\?([^#]*))?#(.*)$/.exec(rest) ?? [];
  if (credentials === undefined) throw new Error(`not a link: ${text}`);
  return {
    scheme,
    credentials,
    address: address as string,
    port: Number(port),
    remark: decodeURIComponent(remark as string),
    query: { type: 'tcp', security: 'none', ...Object.fromEntries(new URLSearchParams(query)) },
  };
}

function readVmess({ id, add, port, ps, ...query }: VmessLink): Link {
  const texts = Object.entries(query).map(([name, value]) => [name, String(value)]);
  return {
    scheme: 'vmess',
    credentials: id,
    address: add,
    port: Number(port),
    remark: ps,
    query: Object.fromEntries(texts),
  };
}
