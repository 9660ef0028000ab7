import { type Mutations, make, newName, SECRETS } from './mutation.js';

const TAG = 'Shadowsocks TCP';

const core = () => ({
  name: newName(),
  config: {
    inbounds: [
      {
        tag: newName(),
        protocol: 'vless',
        port: 443,
        settings: { clients: [{ id: SECRETS.uuid }], decryption: 'none' },
        streamSettings: {
          security: 'reality',
          realitySettings: { privateKey: SECRETS.privateKey, shortIds: ['ab'], serverNames: ['a.example'] },
        },
      },
      {
        tag: newName(),
        protocol: 'shadowsocks',
        port: 8443,
        settings: { method: '2022-blake3-aes-128-gcm', password: SECRETS.serverPassword },
      },
    ],
    outbounds: [{ tag: 'direct', protocol: 'freedom' }],
  },
});

const host = () => ({
  remark: newName(),
  inbound_tag: TAG,
  priority: 1,
  transport_settings: { websocket_settings: { heartbeatPeriod: 1 } },
  mux_settings: { xray: { enabled: true, concurrency: 8 } },
});

const settings = () => ({
  subscription: { profile_title: newName(), rules: [{ pattern: newName(), target: 'links' }] },
  general: { default_flow: '' },
});

/** Changes of cores, hosts and settings. */
export const CATALOGUE_MUTATIONS: Mutations = {
  'POST /api/core': {
    action: 'core.create',
    prepare: () => ({ url: '/api/core', body: core(), target: ({ id }) => `core/${id}` }),
  },
  'PUT /api/core/:core_id': {
    action: 'core.modify',
    prepare: async (management) => {
      const { id } = await make(management, '/api/core', core());
      return { url: `/api/core/${id}?restart_nodes=true`, body: core(), target: `core/${id}` };
    },
  },
  'DELETE /api/core/:core_id': {
    action: 'core.delete',
    prepare: async (management) => {
      const { id } = await make(management, '/api/core', core());
      return { url: `/api/core/${id}`, target: `core/${id}` };
    },
  },
  'POST /api/core/:core_id/restart': {
    action: 'core.restart',
    prepare: () => ({ url: '/api/core/1/restart', target: 'core/1' }),
  },
  'POST /api/host': {
    action: 'host.create',
    prepare: () => ({ url: '/api/host', body: host(), target: ({ id }) => `host/${id}` }),
  },
  'PUT /api/host/:host_id': {
    action: 'host.modify',
    prepare: async (management) => {
      const { id } = await make(management, '/api/host', host());
      return { url: `/api/host/${id}`, body: host(), target: `host/${id}` };
    },
  },
  'DELETE /api/host/:host_id': {
    action: 'host.delete',
    prepare: async (management) => {
      const { id } = await make(management, '/api/host', host());
      return { url: `/api/host/${id}`, target: `host/${id}` };
    },
  },
  'PUT /api/hosts': {
    action: 'host.bulk_modify',
    prepare: async (management) => {
      const { id } = await make(management, '/api/host', host());
      return { url: '/api/hosts', body: [{ ...host(), id }, host()], target: 'hosts' };
    },
  },
  'PATCH /api/hosts/order': {
    action: 'host.reorder',
    prepare: async (management) => {
      const [one, other] = [await make(management, '/api/host', host()), await make(management, '/api/host', host())];
      return { url: '/api/hosts/order', body: { ids: [other.id, one.id] }, target: 'hosts' };
    },
  },
  'PUT /api/settings': {
    action: 'settings.modify',
    prepare: () => ({ url: '/api/settings', body: settings(), target: 'settings' }),
  },
  'PUT /api/settings/probes': {
    action: 'settings.modify',
    prepare: async (management) => {
      const { url } = Object((await management.call('GET', '/api/settings/probes')).body);
      const other = url === 'https://a.example/' ? 'https://b.example/' : 'https://a.example/';
      return { url: '/api/settings/probes', body: { url: other }, target: 'settings/probes' };
    },
  },
  'POST /api/hosts/probe': {
    action: 'host.probe',
    prepare: () => ({ url: '/api/hosts/probe', body: { ...host(), address: ['192.0.2.1'] }, target: 'host/unsaved' }),
  },
  'POST /api/hosts/:host_id/probe': {
    action: 'host.probe',
    prepare: async (management) => {
      const { id } = await make(management, '/api/host', { ...host(), address: ['192.0.2.1'] });
      return { url: `/api/hosts/${id}/probe`, body: { clients: ['xray'] }, target: `host/${id}` };
    },
  },
};
