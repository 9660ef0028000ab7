import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Actor } from '../../access/actor.js';
import { checkIdentityProof } from '../../access/identity-proof.js';
import { recordAudit } from '../../audit/record-audit.js';
import { lockRevision, nextRevision } from '../../database/revision.js';
import { checkVersion } from '../../http/version.js';
import { NodeConnector } from '../connection/node-connector.js';
import { certificateBlocks } from '../connection/server-ca.js';
import { NodeRepository } from '../store/node.repository.js';
import { announceNodeChange, sendNodeCommand } from '../store/node-channel.js';
import { NodeTotalsRepository } from '../store/node-totals.repository.js';
import { NodeCreate, NodeModify, type NodeView } from './node.dto.js';
import { nodeView } from './node.view.js';
import { modificationOf } from './node-modification.js';
import { NodeRequestChecks } from './node-request-checks.js';

/** The port of nodes that name none. */
export const DEFAULT_PORT = 62_050;

@Injectable()
export class NodeService {
  constructor(
    private readonly database: DataSource,
    private readonly nodes: NodeRepository,
    private readonly totals: NodeTotalsRepository,
    private readonly checks: NodeRequestChecks,
    private readonly connector: NodeConnector,
  ) {}

  /** A replica connects to the node in the background. */
  create(request: NodeCreate): Promise<NodeView> {
    this.checks.checkAddress(request.address);
    return this.database.transaction(async (manager) => {
      await this.checks.checkCore(manager, request.core_config_id);
      await this.checks.checkName(manager, request.name);
      const id = await this.nodes.nextNodeId(manager);
      await this.nodes.insertNode(manager, {
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
      const created = nodeView(await this.nodes.findNode(manager, id));
      const after = { ...created, api_key: request.api_key };
      await recordAudit(manager, { action: 'node.create', target: `node/${id}`, after });
      return created;
    });
  }

  async get(id: number): Promise<NodeView> {
    return nodeView(await this.nodes.findNode(this.database.manager, id));
  }

  /** The worker reconnects only where the connection changes, and restarts the node only where nothing less suffices. */
  modify(actor: Actor, id: number, request: NodeModify): Promise<NodeView> {
    this.checks.checkAddress(request.address ?? undefined);
    return this.database.transaction(async (manager) => {
      await lockRevision(manager);
      const before = await this.nodes.lockNode(manager, id);
      checkVersion(nodeView(before));
      const { columns, moves, reconnects, changesPeer, changesCore, changesKeepAlive } = modificationOf(
        before,
        request,
      );
      if (changesPeer) checkIdentityProof(actor, 'fresh login');
      if (changesCore && columns.coreConfigId !== null) await this.checks.checkCore(manager, columns.coreConfigId);
      if (columns.name !== before.name) await this.checks.checkName(manager, columns.name);
      const apiKey = request.api_key ?? undefined;
      await this.nodes.updateNode(manager, id, {
        ...columns,
        ...(apiKey !== undefined && { apiKeyEncrypted: this.connector.sealApiKey(id, apiKey) }),
        ...(changesCore && { pinnedCoreSealed: null, corePending: true }),
        ...((changesCore || changesKeepAlive) && { startRevision: await nextRevision(manager) }),
      });
      if (moves) {
        await this.nodes.keepLineTime(manager, [id], columns.status);
        await announceNodeChange(manager);
      }
      if (reconnects) await sendNodeCommand(manager, [id], 'reconnect');
      const modified = nodeView(await this.nodes.findNode(manager, id));
      const after = { ...modified, api_key: apiKey };
      await recordAudit(manager, { action: 'node.modify', target: `node/${id}`, before: nodeView(before), after });
      return modified;
    });
  }

  /** The engine is stopped if the node can be reached. What its users have used stays counted. */
  async delete(id: number): Promise<void> {
    await this.database.transaction(async (manager) => {
      const before = nodeView(await this.nodes.lockNode(manager, id));
      checkVersion(before);
      await this.totals.keepTotals(manager, [id]);
      await this.nodes.deleteNodes(manager, [id]);
      await announceNodeChange(manager);
      await recordAudit(manager, { action: 'node.delete', target: `node/${id}`, before });
    });
  }
}
