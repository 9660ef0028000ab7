import { ALLOW_PRIVATE, type Api } from '@rampart/testing';
import type { Cell, Inbound, Json, UserName } from '../cells/cell.js';
import type { Product } from './product.js';
import { USERS } from './users.js';

/** The subscription URL of each user. */
export type Subscriptions = ReadonlyMap<UserName, string>;

/** Creates one core with the inbounds of all cells, and for each user a group and hosts; the node runs the core. */
export async function provision(
  product: Product,
  cells: readonly Cell[],
  exchangePort: number,
): Promise<Subscriptions> {
  const { api } = product;
  const inbounds = cells.flatMap(inboundsOf);
  const { id } = await api.create<{ id: number }>('/api/core', {
    name: 'matrix',
    config: {
      inbounds: inbounds.map(({ config }) => config),
      // The host name of the exchange resolves nowhere; only the node's outbound redirects to it.
      outbounds: [
        { tag: 'exchange', protocol: 'freedom', settings: { ...ALLOW_PRIVATE, redirect: `127.0.0.1:${exchangePort}` } },
      ],
    },
    fallbacks_inbound_tags: cells.filter(hasChild).flatMap((cell) => tagsOf(cell).slice(1)),
    exclude_inbound_tags: [],
  });
  for (const [priority, cell] of cells.entries()) await createHosts(product, cell, priority);
  const subscriptions = new Map<UserName, string>();
  for (const user of new Set<UserName>(['nobody', ...cells.map((cell) => cell.user)])) {
    const tags = cells.filter((cell) => cell.user === user).flatMap(usableTags);
    subscriptions.set(user, await createUser(product, user, tags));
  }
  await product.connectNode(id);
  return subscriptions;
}

async function createUser({ api }: Product, username: UserName, tags: readonly string[]): Promise<string> {
  const user = await api.create<{ subscription_url: string }>('/api/user', {
    username,
    proxy_settings: USERS[username],
    ...(tags.length > 0 && { group_ids: [await createGroup(api, username, tags)] }),
  });
  return user.subscription_url;
}

async function createGroup(api: Api, username: string, inbound_tags: readonly string[]): Promise<number> {
  const name = username.replaceAll(/[^a-z0-9]/g, '');
  const { id } = await api.create<{ id: number }>('/api/group', { name, inbound_tags });
  return id;
}

interface Tagged extends Inbound {
  readonly config: Json & { readonly tag: string };
}

function inboundsOf(cell: Cell): Tagged[] {
  return cell.inbounds.map((inbound, at) => ({
    ...inbound,
    config: { listen: '127.0.0.1', ...inbound.config, tag: tagsOf(cell)[at] ?? cell.name },
  }));
}

/** Makes tags from the name of a cell; a tag may contain neither a comma nor an arrow. */
function tagsOf({ name, inbounds }: Cell): string[] {
  const tag = name.replaceAll(/[,<=>]/g, '');
  return inbounds.map((_, at) => (at === 0 ? tag : `${tag} (inbound ${at + 1})`));
}

const hasChild = ({ inbounds }: Cell): boolean => inbounds[0]?.isChild === true;

/** Tags that users of the cell need: a child is offered through its parent. */
function usableTags(cell: Cell): string[] {
  const [own = '', ...others] = tagsOf(cell);
  return hasChild(cell) ? others.map((parent) => `${own}<=>${parent}`).concat(own) : [own, ...others];
}

async function createHosts({ api }: Product, cell: Cell, priority: number): Promise<void> {
  const { downloadHost, host } = cell;
  const shown = { remark: cell.shownAs, address: ['127.0.0.1'], priority };
  const inbound_tag = usableTags(cell)[0];
  if (downloadHost === undefined) {
    await api.create('/api/host', { ...shown, inbound_tag, ...host });
    return;
  }
  // The status hides this host: it serves only as the download host of the other.
  const hidden = { ...shown, inbound_tag: tagsOf(cell).at(-1), status: ['expired'] };
  const { id } = await api.create<{ id: number }>('/api/host', { ...hidden, ...downloadHost });
  const transport_settings = { xhttp_settings: { download_settings: id } };
  await api.create('/api/host', { ...shown, inbound_tag, ...host, transport_settings });
}
