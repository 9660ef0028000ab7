import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { recordAudit } from '../../audit/record-audit.js';
import { ManagementError } from '../../errors/management-error.js';
import { findNode } from '../store/node.repository.js';
import { type NodeCommand, sendNodeCommand } from '../store/node-command.js';

/** What a node's worker is told to do now, whichever replica it belongs to. */
@Injectable()
export class NodeCommandService {
  constructor(private readonly database: DataSource) {}

  /** A disabled node stays as it is. */
  reconnect(id: number): Promise<object> {
    return this.command(id, 'reconnect');
  }

  async sync(id: number): Promise<object> {
    const { status } = await findNode(this.database.manager, id);
    if (status !== 'connected') throw new ManagementError('NODE_NOT_CONNECTED');
    return this.command(id, 'sync');
  }

  private async command(id: number, command: NodeCommand): Promise<object> {
    await this.database.transaction(async (manager) => {
      await findNode(manager, id);
      await sendNodeCommand(manager, [id], command);
      await recordAudit(manager, { action: `node.${command}`, target: `node/${id}` });
    });
    return {};
  }
}
