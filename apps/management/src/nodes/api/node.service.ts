import { isIP } from 'node:net';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { recordAudit } from '../../audit/record-audit.js';
import { Core } from '../../core-store/core.entity.js';
import { lockRevision, nextRevision } from '../../database/revision.js';
import { invalidFields, ManagementError } from '../../errors/management-error.js';
import { NodeAddresses } from '../connection/node-addresses.js';
import { NodeConnector } from '../connection/node-connector.js';
import { certificateBlocks } from '../connection/server-ca.js';
import { Node } from '../store/node.entity.js';
import { findNode, lockNode } from '../store/node.repository.js';
import { announceNodeChange } from '../store/node-channel.js';
import { sendNodeCommand } from '../store/node-command.js';
import { keepTotals } from '../store/node-totals.js';
import { NodeCreate, NodeModify, type NodeView, nodeView } from './node.dto.js';
import { modificationOf } from './node-modification.js';

const DEFAULT_PORT = 62_050;

@Injectable()
export class NodeService {
  constructor(
    private readonly database: DataSource,
    private readonly connector: NodeConnector,
    private readonly addresses: NodeAddresses,
  ) {}

  /** The node is connected in the background, by the replica that wins it. */
  create(request: NodeCreate): Promise<NodeView> {
    this.checkAddress(request.address);
    return this.database.transaction(async (manager) => {
      await checkCore(manager, request.core_config_id);
      await checkName(manager, request.name);
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
        apiKeyEncrypted: this.connector.sealApiKey(id, request.api_key),
        usageCoefficient: request.usage_coefficient ?? 1,
      });
      await announceNodeChange(manager);
      const created = nodeView(await findNode(manager, id));
      const after = { ...created, api_key: request.api_key };
      await recordAudit(manager, { action: 'node.create', target: `node/${id}`, after });
      return created;
    });
  }

  async get(id: number): Promise<NodeView> {
    return nodeView(await findNode(this.database.manager, id));
  }

  /** Its worker reconnects only where the connection changed, and has it started only where that is what changes it. */
  modify(id: number, request: NodeModify): Promise<NodeView> {
    this.checkAddress(request.address ?? undefined);
    return this.database.transaction(async (manager) => {
      await lockRevision(manager);
      const before = await lockNode(manager, id);
      const { columns, moves, reconnects, changesCore, changesKeepAlive } = modificationOf(before, request);
      if (changesCore && columns.coreConfigId !== null) await checkCore(manager, columns.coreConfigId);
      if (columns.name !== before.name) await checkName(manager, columns.name);
      const apiKey = request.api_key ?? undefined;
      await manager.update(
        Node,
        { id },
        {
          ...columns,
          ...(apiKey !== undefined && { apiKeyEncrypted: this.connector.sealApiKey(id, apiKey) }),
          ...(changesCore && { pinnedCore: null, corePending: true }),
          ...((changesCore || changesKeepAlive) && { startRevision: await nextRevision(manager) }),
        },
      );
      if (moves) await announceNodeChange(manager);
      if (reconnects) await sendNodeCommand(manager, [id], 'reconnect');
      const modified = nodeView(await findNode(manager, id));
      const after = { ...modified, api_key: apiKey };
      await recordAudit(manager, { action: 'node.modify', target: `node/${id}`, before: nodeView(before), after });
      return modified;
    });
  }

  /** Its engine is stopped where it can be reached. What its users have used stays counted. */
  async delete(id: number): Promise<void> {
    await this.database.transaction(async (manager) => {
      const before = nodeView(await lockNode(manager, id));
      await keepTotals(manager, [id]);
      await manager.delete(Node, { id });
      await announceNodeChange(manager);
      await recordAudit(manager, { action: 'node.delete', target: `node/${id}`, before });
    });
  }

  /** A name is judged when it is looked up, each time anew. */
  private checkAddress(address: string | undefined): void {
    const problem = address !== undefined && isIP(address) !== 0 ? this.addresses.problemOf(address) : undefined;
    if (problem !== undefined) throw invalidFields({ address: `Input ${problem}` });
  }
}

async function checkCore(manager: EntityManager, id: number): Promise<void> {
  if (!(await manager.existsBy(Core, { id }))) throw new ManagementError('CORE_NOT_FOUND');
}

async function checkName(manager: EntityManager, name: string): Promise<void> {
  if (await manager.existsBy(Node, { name })) {
    throw new ManagementError('NODE_EXISTS', `Node "${name}" already exists`);
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
