import { isIP } from 'node:net';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { CoreRepository } from '../../core-store/core.repository.js';
import { invalidFields, ManagementError } from '../../errors/management-error.js';
import { NodeAddresses } from '../connection/node-addresses.js';
import { NodeRepository } from '../store/node.repository.js';

/** What a node refers to is checked in the transaction that stores it. */
@Injectable()
export class NodeRequestChecks {
  constructor(
    private readonly nodes: NodeRepository,
    private readonly cores: CoreRepository,
    private readonly addresses: NodeAddresses,
  ) {}

  /** Names are not checked here, because they are resolved anew for each connection. */
  checkAddress(address: string | undefined): void {
    const problem = address !== undefined && isIP(address) !== 0 ? this.addresses.problemOf(address) : undefined;
    if (problem !== undefined) throw invalidFields({ address: `Input ${problem}` });
  }

  async checkCore(manager: EntityManager, id: number): Promise<void> {
    if (!(await this.cores.existsCore(manager, id))) throw new ManagementError('CORE_NOT_FOUND');
  }

  async checkName(manager: EntityManager, name: string): Promise<void> {
    if (await this.nodes.existsNodeNamed(manager, name)) {
      throw new ManagementError('NODE_EXISTS', `Node "${name}" already exists`);
    }
  }
}
