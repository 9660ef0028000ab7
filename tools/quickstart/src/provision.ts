import { quickStartCore, SHADOWSOCKS_TAG, VLESS_TAG } from './core.js';
import type { ManagementApi } from './management-api.js';
import type { Settings } from './settings.js';

interface Named {
  readonly id: number;
  readonly name: string;
}

export interface FirstNode {
  readonly apiKey: string;
  /** The node's certificate in PEM format. */
  readonly certificate: string;
}

const NAME = 'Quick start';
const GROUP = 'everyone';
const USER = 'first-user';

/**
 * Creates a core, a node, a group, hosts and a user, each only if it does not exist yet, so that an interrupted set-up is
 * completed by the next start. Returns the path of the user's subscription.
 */
export async function provision(
  api: ManagementApi,
  settings: Settings,
  node: FirstNode,
  address: string,
): Promise<string> {
  const { cores } = await api.get<{ cores: Named[] }>('/api/cores');
  const core =
    cores.find(({ name }) => name === NAME) ??
    (await api.post<Named>('/api/core', {
      name: NAME,
      config: quickStartCore(settings),
      exclude_inbound_tags: [],
      fallbacks_inbound_tags: [],
    }));

  const { groups } = await api.get<{ groups: Named[] }>('/api/groups');
  const group =
    groups.find(({ name }) => name === GROUP) ??
    (await api.post<Named>('/api/group', { name: GROUP, inbound_tags: [VLESS_TAG, SHADOWSOCKS_TAG] }));

  const hosts = await api.get<{ inbound_tag: string }[]>('/api/hosts');
  for (const [priority, tag] of [VLESS_TAG, SHADOWSOCKS_TAG].entries()) {
    if (hosts.some((host) => host.inbound_tag === tag)) continue;
    await api.post('/api/host', { remark: `${tag} {USERNAME}`, address: [address], inbound_tag: tag, priority });
  }

  const { users } = await api.get<{ users: { username: string; subscription_url: string }[] }>(
    '/api/users?load_sub=true',
  );
  const user =
    users.find(({ username }) => username === USER) ??
    (await api.post<{ subscription_url: string }>('/api/user', {
      username: USER,
      group_ids: [group.id],
      proxy_settings: { vless: { flow: 'xtls-rprx-vision' } },
    }));

  const nodes = await api.get<Named[]>('/api/nodes');
  if (!nodes.some(({ name }) => name === NAME)) {
    await api.post('/api/node', {
      name: NAME,
      address: '127.0.0.1',
      port: settings.nodePort,
      connection_type: 'grpc',
      server_ca: node.certificate,
      keep_alive: 0,
      core_config_id: core.id,
      api_key: node.apiKey,
    });
  }
  return user.subscription_url.slice(user.subscription_url.lastIndexOf('/sub/'));
}
