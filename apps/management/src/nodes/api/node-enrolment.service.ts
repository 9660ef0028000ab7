import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ENROLMENT_VARIABLE, writeEnrolment } from '@rampart/node-client';
import { DataSource, type EntityManager } from 'typeorm';
import { recordAudit } from '../../audit/record-audit.js';
import { DEFAULT_CORE_ID } from '../../core-store/default-core.js';
import { NodeCertificates } from '../authority/node-certificates.js';
import { NodeConnector } from '../connection/node-connector.js';
import type { Node } from '../store/node.entity.js';
import { NodeRepository } from '../store/node.repository.js';
import { announceNodeChange, sendNodeCommand } from '../store/node-channel.js';
import { DEFAULT_PORT } from './node.service.js';
import { nodeView } from './node.view.js';
import { NodeEnrol, type NodeEnrolment } from './node-enrolment.dto.js';
import { NodeRequestChecks } from './node-request-checks.js';

const API_KEY_BYTES = 32;

type Place = Pick<Node, 'id' | 'address' | 'port' | 'listenPort'>;
/** The columns by which management knows an enrolled node. */
type Credentials = Pick<Node, 'serverCa' | 'authorityId' | 'identity' | 'certificateExpiresAt' | 'apiKeyEncrypted'>;

/** Gives nodes an API key and a certificate. Both are in one value, which is answered once and not stored. */
@Injectable()
export class NodeEnrolmentService {
  constructor(
    private readonly database: DataSource,
    private readonly nodes: NodeRepository,
    private readonly checks: NodeRequestChecks,
    private readonly connector: NodeConnector,
    private readonly certificates: NodeCertificates,
  ) {}

  /** Creates a node. A replica tries to connect to it from now on. */
  enrol(request: NodeEnrol): Promise<NodeEnrolment> {
    this.checks.checkAddress(request.address);
    const coreConfigId = request.core_config_id ?? DEFAULT_CORE_ID;
    return this.database.transaction(async (manager) => {
      await this.checks.checkCore(manager, coreConfigId);
      await this.checks.checkName(manager, request.name);
      const place: Place = {
        id: await this.nodes.nextNodeId(manager),
        address: request.address,
        port: request.port ?? DEFAULT_PORT,
        listenPort: request.listen_port ?? null,
      };
      const { columns, enrolment } = await this.newCredentials(manager, place);
      await this.nodes.insertNode(manager, {
        ...place,
        ...columns,
        name: request.name,
        connectionType: request.connection_type ?? 'grpc',
        keepAlive: request.keep_alive ?? 0,
        coreConfigId,
        usageCoefficient: request.usage_coefficient ?? 1,
      });
      await announceNodeChange(manager);
      const node = nodeView(await this.nodes.findNode(manager, place.id));
      const after = { ...node, api_key: 'new' };
      await recordAudit(manager, { action: 'node.enrol', target: `node/${node.id}`, after });
      return { node, enrolment };
    });
  }

  /** Ends the present API key and certificate of a node, which may have been its own, and gives it others. */
  enrolAgain(id: number): Promise<NodeEnrolment> {
    return this.database.transaction(async (manager) => {
      const before = await this.nodes.lockNode(manager, id);
      const { columns, enrolment } = await this.newCredentials(manager, before);
      await this.nodes.updateNode(manager, id, columns);
      await sendNodeCommand(manager, [id], 'reconnect');
      const node = nodeView(await this.nodes.findNode(manager, id));
      const change = { before: nodeView(before), after: { ...node, api_key: 'another' } };
      await recordAudit(manager, { action: 'node.enrol_again', target: `node/${id}`, ...change });
      return { node, enrolment };
    });
  }

  private async newCredentials(
    manager: EntityManager,
    { id, address, port, listenPort }: Place,
  ): Promise<{ columns: Credentials; enrolment: string }> {
    const apiKey = randomBytes(API_KEY_BYTES).toString('base64url');
    const issued = await this.certificates.issueIdentity(manager, address);
    const { authorityId, authority, identity, certificate, key, expiresAt } = issued;
    const value = writeEnrolment({ port: listenPort ?? port, apiKey, certificate, key, authority });
    return {
      columns: {
        serverCa: authority,
        authorityId,
        identity,
        certificateExpiresAt: expiresAt,
        apiKeyEncrypted: this.connector.sealApiKey(id, apiKey),
      },
      enrolment: `${ENROLMENT_VARIABLE}=${value}`,
    };
  }
}
