import { offeredBy } from '../../api/core-tags';
import type { Core, Group, Node } from '../../api/types';

type StoredCore = Pick<Core, 'id' | 'config' | 'exclude_inbound_tags'>;
type OtherNode = Pick<Node, 'id' | 'status' | 'core_config_id'>;

/** Inbounds, and the groups whose users have access to one of them. */
export interface Granted {
  tags: string[];
  groups: number[];
}

export interface CoreEffect {
  gained: Granted;
  lost: Granted;
  /** Of those that the node loses and somebody may use, the ones that no other enabled node has. */
  unserved: string[];
}

interface Facts {
  node: OtherNode;
  /** The id of the core that is chosen for the node. */
  chosen: number;
  cores: readonly StoredCore[];
  nodes: readonly OtherNode[];
  groups: readonly Pick<Group, 'id' | 'is_disabled' | 'inbound_tags'>[];
  /** The tags of all inbounds that groups and hosts can name. */
  inbounds: readonly string[];
}

/** What another core changes for a node: the inbounds that come and go, and for whom. */
export function coreEffect({ node, chosen, cores, nodes, groups, inbounds }: Facts): CoreEffect {
  const tagsOf = (id: number | null) => {
    const core = cores.find((one) => one.id === id);
    return core ? offeredBy(core, inbounds) : [];
  };
  const enabled = groups.filter(({ is_disabled }) => !is_disabled);
  const granted = (tags: string[]): Granted => ({
    tags,
    groups: enabled.filter(({ inbound_tags }) => inbound_tags.some((tag) => tags.includes(tag))).map(({ id }) => id),
  });
  const [before, after] = [tagsOf(node.core_config_id), tagsOf(chosen)];
  const lost = granted(before.filter((tag) => !after.includes(tag)));
  const others = nodes.filter(({ id, status }) => id !== node.id && status !== 'disabled');
  const elsewhere = new Set(others.flatMap(({ core_config_id }) => tagsOf(core_config_id)));
  const used = new Set(enabled.flatMap(({ inbound_tags }) => inbound_tags));
  return {
    gained: granted(after.filter((tag) => !before.includes(tag))),
    lost,
    unserved: lost.tags.filter((tag) => used.has(tag) && !elsewhere.has(tag)),
  };
}
