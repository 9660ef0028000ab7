import type { OrphanedTag } from './orphan.repository.js';

/** A tag that no core offers any more, and what still names it. Hosts and groups keep the tag, which grants nothing. */
export interface OrphanWarning {
  /** The part of the configuration that the warning is about. */
  readonly path: 'inbounds';
  /** The kind of the warning, for programs. */
  readonly code: 'inbound_tag_orphaned';
  /** The warning in a sentence, which names the groups and hosts. */
  readonly message: string;
}

/** Maximum number of hosts and of groups that a message names. */
const MAX_NAMES = 20;

export function orphanWarnings(orphaned: readonly OrphanedTag[]): OrphanWarning[] {
  return orphaned
    .filter(({ hosts, groups }) => hosts.length + groups.length > 0)
    .map(({ tag, hosts, groups }) => ({
      path: 'inbounds',
      code: 'inbound_tag_orphaned',
      message: `inbound ${tag} is in no core any more, but still used by ${listUsers(hosts, groups)}`,
    }));
}

function listUsers(hosts: readonly string[], groups: readonly string[]): string {
  const parts = [];
  if (hosts.length > 0) parts.push(`hosts ${listNames(hosts)}`);
  if (groups.length > 0) parts.push(`groups ${listNames(groups)}`);
  return parts.join(' and ');
}

function listNames(names: readonly string[]): string {
  const more = names.length > MAX_NAMES ? [`${names.length - MAX_NAMES} more`] : [];
  return [...names.slice(0, MAX_NAMES), ...more].join(', ');
}
