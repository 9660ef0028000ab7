import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { recordAudit } from '../../audit/record-audit.js';
import { ManagementError } from '../../errors/management-error.js';
import { NodeRepository } from '../store/node.repository.js';
import { type NodeCommand, sendNodeCommand } from '../store/node-channel.js';

/** Sends commands to the worker of a node, whichever replica runs it. */
@Injectable()
export class NodeCommandService {
  constructor(
    private readonly database: DataSource,
    private readonly nodes: NodeRepository,
  ) {}

  /** A disabled node has no worker and stays as it is. */
  reconnect(id: number): Promise<object> {
    return this.sendCommand(id, 'reconnect');
  }

  async sync(id: number): Promise<object> {
    const { status } = await this.nodes.findNode(this.database.manager, id);
    if (status !== 'connected') throw new ManagementError('NODE_NOT_CONNECTED');
    return this.sendCommand(id, 'sync');
  }

  private async sendCommand(id: number, command: NodeCommand): Promise<object> {
    await this.database.transaction(async (manager) => {
      await this.nodes.findNode(manager, id);
      await sendNodeCommand(manager, [id], command);
      await recordAudit(manager, { action: `node.${command}`, target: `node/${id}` });
    });
    return {};
  }
}
