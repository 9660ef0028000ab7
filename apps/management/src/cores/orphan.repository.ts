import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/** What still names an inbound tag that no core offers. */
export interface OrphanedTag {
  tag: string;
  /** `remark (id)` of each host, by priority. */
  hosts: string[];
  /** Names of groups, by id. */
  groups: string[];
}

/** Reads hosts and groups in one statement, which is listed in docs/architecture.md. */
@Injectable()
export class OrphanRepository {
  /** @param tags that no core offers any more, whose order the result keeps */
  findUsers(manager: EntityManager, tags: readonly string[]): Promise<OrphanedTag[]> {
    return manager.query(
      `SELECT tag,
         ARRAY(SELECT remark || ' (' || id || ')' FROM hosts WHERE inbound_tag = tag ORDER BY priority, id) AS hosts,
         ARRAY(SELECT name FROM groups WHERE inbound_tags @> ARRAY[tag] ORDER BY id) AS groups
       FROM unnest($1::text[]) WITH ORDINALITY AS gone (tag, place) ORDER BY place`,
      [tags],
    );
  }
}
