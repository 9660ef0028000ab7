import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { TouchedByTags } from './core-check.dto.js';

/** Reads hosts, groups and memberships in one statement, which is listed in docs/architecture.md. */
@Injectable()
export class CoreImpactRepository {
  /** What names any of these inbound tags: hosts by priority, groups by id, and how many served users the groups have. */
  async findTouched(manager: EntityManager, tags: readonly string[]): Promise<TouchedByTags> {
    const [row] = await manager.query<[TouchedByTags]>(
      `WITH touched AS (SELECT id, name, is_disabled FROM groups WHERE inbound_tags && $1::text[])
       SELECT
         coalesce((SELECT json_agg(json_build_object('id', id, 'remark', remark, 'inbound_tag', inbound_tag)
           ORDER BY priority, id) FROM hosts WHERE inbound_tag = ANY ($1)), '[]') AS hosts,
         coalesce((SELECT json_agg(json_build_object('id', id, 'name', name) ORDER BY id) FROM touched), '[]') AS groups,
         (SELECT count(*)::integer FROM users WHERE status IN ('active', 'on_hold') AND id IN (
           SELECT user_id FROM user_groups WHERE group_id IN (SELECT id FROM touched WHERE NOT is_disabled))) AS users`,
      [tags],
    );
    return row;
  }
}
