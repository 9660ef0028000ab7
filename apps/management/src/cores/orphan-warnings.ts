import type { EntityManager } from 'typeorm';

/** A tag that the cores offer no more, and what still names it: it stays as it is and grants nothing. */
export interface OrphanWarning {
  /** Where in the configuration. */
  readonly path: 'inbounds';
  /** The kind of the warning, for programs. */
  readonly code: 'inbound_tag_orphaned';
  /** The warning in a sentence, which names the groups and hosts. */
  readonly message: string;
}

interface Orphaned {
  tag: string;
  hosts: string[];
  groups: string[];
}

const NAMED = 20;

/** @param tags those that are gone */
export async function orphanWarnings(manager: EntityManager, tags: readonly string[]): Promise<OrphanWarning[]> {
  const orphaned = await manager.query<Orphaned[]>(
    `SELECT tag,
       ARRAY(SELECT remark || ' (' || id || ')' FROM hosts WHERE inbound_tag = tag ORDER BY priority, id) AS hosts,
       ARRAY(SELECT name FROM groups WHERE inbound_tags @> ARRAY[tag] ORDER BY id) AS groups
     FROM unnest($1::text[]) WITH ORDINALITY AS gone (tag, place) ORDER BY place`,
    [tags],
  );
  return orphaned
    .filter(({ hosts, groups }) => hosts.length + groups.length > 0)
    .map(({ tag, hosts, groups }) => ({
      path: 'inbounds',
      code: 'inbound_tag_orphaned',
      message: `inbound ${tag} is in no core any more, but still used by ${users(hosts, groups)}`,
    }));
}

function users(hosts: readonly string[], groups: readonly string[]): string {
  const parts = [];
  if (hosts.length > 0) parts.push(`hosts ${some(hosts)}`);
  if (groups.length > 0) parts.push(`groups ${some(groups)}`);
  return parts.join(' and ');
}

function some(names: readonly string[]): string {
  const more = names.length > NAMED ? [`${names.length - NAMED} more`] : [];
  return [...names.slice(0, NAMED), ...more].join(', ');
}
