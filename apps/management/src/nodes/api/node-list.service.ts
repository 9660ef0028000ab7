import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { windowOf } from '../../http/page.js';
import { NodeRepository } from '../store/node.repository.js';
import type { NodeView } from './node.dto.js';
import { nodeView } from './node.view.js';
import type { NodeQuery } from './node-query.dto.js';

@Injectable()
export class NodeListService {
  constructor(
    private readonly database: DataSource,
    private readonly nodes: NodeRepository,
  ) {}

  async listNodes(query: NodeQuery): Promise<NodeView[]> {
    const { backend_id, core_id = backend_id, ids, status, enabled, search, ...page } = query;
    const filter = { coreId: core_id, ids, status, enabled, search };
    return (await this.nodes.listNodes(this.database.manager, filter, windowOf(page))).map(nodeView);
  }
}
