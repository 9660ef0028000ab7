import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Core } from '../cores/core.entity.js';
import { ManagementError } from '../errors/management-error.js';
import { windowOf } from '../http/page.js';
import { NodeCreate, NodeQuery, type NodeView, nodeView } from './node.dto.js';
import { Node } from './node.entity.js';
import { NodeConnector } from './node-connector.js';
import { announceNodes } from './node-lock.js';
import { certificateBlocks } from './server-ca.js';

const DEFAULT_PORT = 62_050;

@Injectable()
export class NodeService {
  constructor(
    private readonly database: DataSource,
    private readonly connector: NodeConnector,
  ) {}

  /** The node is connected in the background, by the replica that wins it. */
  create(request: NodeCreate): Promise<NodeView> {
    return this.database.transaction(async (manager) => {
      if (!(await manager.existsBy(Core, { id: request.core_config_id }))) throw new ManagementError('CORE_NOT_FOUND');
      if (await manager.existsBy(Node, { name: request.name })) {
        throw new ManagementError('NODE_EXISTS', `Node "${request.name}" already exists`);
      }
      const id = await nextId(manager);
      await manager.insert(Node, {
        id,
        name: request.name,
        address: request.address,
        port: request.port ?? DEFAULT_PORT,
        connectionType: request.connection_type,
        serverCa: certificateBlocks(request.server_ca),
        keepAlive: request.keep_alive,
        coreConfigId: request.core_config_id,
        apiKeyEncrypted: this.connector.sealKey(id, request.api_key),
        usageCoefficient: request.usage_coefficient ?? 1,
      });
      await announceNodes(manager);
      return nodeView(await manager.findOneByOrFail(Node, { id }));
    });
  }

  async get(id: number): Promise<NodeView> {
    const node = await this.database.manager.findOneBy(Node, { id });
    if (!node) throw new ManagementError('NODE_NOT_FOUND');
    return nodeView(node);
  }

  async list({ backend_id, ...page }: NodeQuery): Promise<NodeView[]> {
    const nodes = await this.database.manager.find(Node, {
      where: backend_id === undefined ? {} : { coreConfigId: backend_id },
      order: { id: 'ASC' },
      ...windowOf(page),
    });
    return nodes.map(nodeView);
  }
}

/** Known before the row is there, because the sealed API key is bound to it. */
async function nextId(manager: EntityManager): Promise<number> {
  const [row] = await manager.query<{ id: number }[]>(
    `SELECT nextval(pg_get_serial_sequence('nodes', 'id'))::integer AS id`,
  );
  if (!row) throw new Error('the sequence of nodes.id is missing');
  return row.id;
}
