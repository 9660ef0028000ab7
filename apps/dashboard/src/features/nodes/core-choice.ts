import type { Core, Group, Node } from '../../api/types';

type ListedCore = Pick<Core, 'id' | 'config' | 'fallbacks_inbound_tags'>;

/** The core that a new node gets unless another one is chosen: the one that most nodes run, or the first. */
export function preferredCore<One extends Pick<Core, 'id'>>(
  cores: readonly One[],
  nodes: readonly Pick<Node, 'core_config_id'>[],
): One | undefined {
  const nodesOf = ({ id }: One) => nodes.filter(({ core_config_id }) => core_config_id === id).length;
  return cores.reduce<One | undefined>(
    (best, core) => (best && nodesOf(best) >= nodesOf(core) ? best : core),
    undefined,
  );
}

type Inbound = Readonly<Record<string, unknown>>;

/** The inbounds of a core; undefined where its configuration does not say. */
function inboundsOf({ config }: Pick<Core, 'config'>): Inbound[] | undefined {
  const list = config['inbounds'];
  return Array.isArray(list)
    ? list.filter((inbound): inbound is Inbound => typeof inbound === 'object' && inbound !== null)
    : undefined;
}

/** Whether no enabled group grants any inbound of the core, so that a node with it would serve nobody. */
export function isGrantedByNone(
  core: ListedCore,
  groups: readonly Pick<Group, 'is_disabled' | 'inbound_tags'>[],
): boolean {
  const inbounds = inboundsOf(core);
  // Fallbacks are granted under tags of their own.
  if (!inbounds || core.fallbacks_inbound_tags.length > 0) return false;
  const granted = new Set(groups.flatMap(({ is_disabled, inbound_tags }) => (is_disabled ? [] : inbound_tags)));
  return !inbounds.some(({ tag }) => typeof tag === 'string' && granted.has(tag));
}

/** Nobody from outside reaches these. */
const INSIDE = /^(?:127\.|::1$|localhost$|\/|@)/;

/** The ports on which users reach the inbounds of a core, in ascending order. */
export function inboundPorts(core: Pick<Core, 'config'>): number[] {
  const ports = (inboundsOf(core) ?? [])
    .filter(({ listen }) => !INSIDE.test(String(listen ?? '')))
    .flatMap(({ port }) => String(port ?? '').split(','))
    .flatMap((span) => {
      const [, first, last = first] = /^\s*(\d{1,5})(?:-(\d{1,5}))?\s*$/.exec(span) ?? [];
      const length = Math.max(0, Number(last) - Number(first) + 1) || 0;
      return Array.from({ length }, (_, at) => Number(first) + at);
    });
  return [...new Set(ports)].sort((one, other) => one - other);
}
