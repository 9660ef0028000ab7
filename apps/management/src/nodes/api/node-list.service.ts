import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { windowOf } from '../../http/page.js';
import { Node } from '../store/node.entity.js';
import { type NodeView, nodeView } from './node.dto.js';
import type { NodeQuery } from './node-query.dto.js';

@Injectable()
export class NodeListService {
  constructor(private readonly database: DataSource) {}

  async list({
    backend_id,
    core_id = backend_id,
    ids,
    status,
    enabled,
    search,
    ...page
  }: NodeQuery): Promise<NodeView[]> {
    const { skip, take } = windowOf(page);
    const query = this.database.manager.createQueryBuilder(Node, 'node').orderBy('node.id').skip(skip).take(take);
    if (core_id !== undefined) query.andWhere('node.coreConfigId = :core_id', { core_id });
    if (ids) query.andWhere('node.id = ANY (:ids)', { ids });
    if (status) query.andWhere('node.status = ANY (:status)', { status });
    if (enabled !== undefined) query.andWhere("(node.status <> 'disabled') = :enabled", { enabled });
    if (search) {
      query.andWhere('strpos(lower(node.name || chr(10) || node.address), lower(:search)) > 0', { search });
    }
    return (await query.getMany()).map(nodeView);
  }
}
