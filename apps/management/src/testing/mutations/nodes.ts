import { Node } from '../../nodes/store/node.entity.js';
import { NODE_LOCK } from '../../nodes/sync/node-locks.js';
import { AUTHORITY } from '../../nodes/testing/certificates.js';
import type { TestManagement } from '../test-management.js';
import { type Mutations, make, newName, SECRETS } from './mutation.js';

const node = () => ({
  name: newName(),
  address: '127.0.0.1',
  port: 1,
  connection_type: 'grpc',
  server_ca: AUTHORITY,
  keep_alive: 60,
  core_config_id: 1,
  api_key: SECRETS.uuid,
});

let lastConnected = 1_000_000;

/** Creates a node that is connected according to its row. Its lock is held, so that no worker corrects the row. */
async function connectedNode({ database }: TestManagement): Promise<number> {
  const id = ++lastConnected;
  await database.query('SELECT pg_advisory_lock($1, $2)', [NODE_LOCK, id]);
  await database.manager.insert(Node, {
    id,
    name: newName(),
    address: '127.0.0.1',
    port: 1,
    connectionType: 'grpc',
    serverCa: AUTHORITY,
    keepAlive: 60,
    apiKeyEncrypted: Buffer.alloc(0),
    status: 'connected',
  });
  return id;
}

/** Changes of nodes and of their history. */
export const NODE_MUTATIONS: Mutations = {
  'POST /api/node': {
    action: 'node.create',
    prepare: () => ({ url: '/api/node', body: node(), target: ({ id }) => `node/${id}` }),
  },
  'POST /api/nodes/enrol': {
    action: 'node.enrol',
    prepare: () => ({
      url: '/api/nodes/enrol',
      body: { name: newName(), address: '127.0.0.1', port: 1 },
      target: ({ id }) => `node/${id}`,
    }),
  },
  'POST /api/node/:node_id/enrol': {
    action: 'node.enrol_again',
    prepare: async (management) => {
      const { id } = await make(management, '/api/node', node());
      return { url: `/api/node/${id}/enrol`, target: `node/${id}` };
    },
  },
  'PUT /api/node/:node_id': {
    action: 'node.modify',
    prepare: async (management) => {
      const { id } = await make(management, '/api/node', node());
      return { url: `/api/node/${id}`, body: { ...node(), status: 'disabled' }, target: `node/${id}` };
    },
  },
  'DELETE /api/node/:node_id': {
    action: 'node.delete',
    prepare: async (management) => {
      const { id } = await make(management, '/api/node', node());
      return { url: `/api/node/${id}`, target: `node/${id}` };
    },
  },
  'POST /api/node/:node_id/reconnect': {
    action: 'node.reconnect',
    prepare: async (management) => {
      const { id } = await make(management, '/api/node', node());
      return { url: `/api/node/${id}/reconnect`, target: `node/${id}` };
    },
  },
  'POST /api/node/:node_id/usage/revert': {
    action: 'node.revert_usage',
    prepare: async (management) => {
      const { id } = await make(management, '/api/node', node());
      return { url: `/api/node/${id}/usage/revert`, body: { from: '2026-01-01T10:00:00Z' }, target: `node/${id}` };
    },
  },
  'PUT /api/node/:node_id/sync': {
    action: 'node.sync',
    prepare: async (management) => {
      const id = await connectedNode(management);
      return { url: `/api/node/${id}/sync?flush_users=true`, target: `node/${id}` };
    },
  },
  'POST /api/nodes/reconnect': {
    action: 'node.bulk_reconnect',
    prepare: () => ({ url: '/api/nodes/reconnect?core_id=1', target: 'nodes' }),
  },
  ...Object.fromEntries(
    ['delete', 'disable', 'enable', 'reconnect'].map((verb) => [
      `POST /api/nodes/bulk/${verb}`,
      {
        action: `node.bulk_${verb}`,
        prepare: async (management) => {
          const { id } = await make(management, '/api/node', node());
          return { url: `/api/nodes/bulk/${verb}`, body: { ids: [id] }, target: 'nodes' };
        },
      } satisfies Mutations[string],
    ]),
  ),
  'DELETE /api/nodes/clear_usage_data/:table': {
    action: 'usage.clear',
    prepare: () => ({ url: '/api/nodes/clear_usage_data/node_usages?start=1', target: 'node_usages' }),
  },
};
