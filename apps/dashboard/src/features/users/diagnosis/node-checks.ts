import { isAwaited } from '../../../api/awaited-node';
import { offeredBy } from '../../../api/core-tags';
import type { Core, Node } from '../../../api/types';
import type { Check, Note } from './check';

export type StoredCore = Pick<Core, 'id' | 'config' | 'exclude_inbound_tags'>;

/** The kinds of problems of a node that does not take its core over: applying it once more mends none of them. */
const REFUSALS: readonly (string | null)[] = ['CORE_REFUSED', 'START_FAILED'];

const namesOf = (nodes: readonly Node[]): string => nodes.map(({ name }) => name).join(', ');

const isFailing = (node: Node): boolean => node.status === 'error' && !isAwaited(node);
const isDisabled = ({ status }: Node): boolean => status === 'disabled';

/** The nodes in error, those that were never reached and the disabled ones, where there are any. */
function notesOn(nodes: readonly Node[]): { notes?: readonly Note[] } {
  const found = [
    { reason: 'warning' as const, names: namesOf(nodes.filter(isFailing)) },
    { reason: 'awaited' as const, names: namesOf(nodes.filter(isAwaited)) },
    { reason: 'disabled' as const, names: namesOf(nodes.filter(isDisabled)) },
  ];
  const notes = found.filter(({ names }) => names !== '');
  return notes.length > 0 ? { notes } : {};
}

/** Whether a node serves the user: it is connected, and its core has one of the inbounds. Without inbounds to look for, every node counts. */
export function nodeCheck(
  tags: readonly string[] | undefined,
  nodes: readonly Node[] | undefined,
  cores: readonly StoredCore[] | undefined,
): Check {
  const check = 'nodes';
  const place = { to: '/nodes' } as const;
  if (nodes === undefined) return { check, verdict: 'unknown', values: {} };
  const isConnected = ({ status }: Node) => status === 'connected';
  if (!nodes.some(isConnected)) return { check, verdict: 'bad', values: {}, ...notesOn(nodes), place };
  const serving = tags?.length && cores ? nodesWithAny(tags, nodes, cores) : nodes;
  const connected = serving.filter(isConnected).length;
  if (connected === 0) {
    const reason = serving.length === 0 ? 'noCore' : 'notConnected';
    return { check, verdict: 'bad', reason, values: { names: tags?.join(', ') ?? '' }, ...notesOn(serving), place };
  }
  const failing = serving.filter(isFailing);
  if (failing.length === 0) return { check, verdict: 'ok', values: { count: connected } };
  return { check, verdict: 'warning', values: { names: namesOf(failing), count: connected }, place };
}

/**
 * Subscriptions follow a stored core at once, and nodes when it is applied: what was changed in between fits only one of
 * them. A node that refused the new core does not get it by applying it once more, so it has a line of its own.
 */
export function coreChecks(
  tags: readonly string[] | undefined,
  nodes: readonly Node[] | undefined,
  cores: readonly StoredCore[] | undefined,
): Check[] {
  const check = 'cores';
  if (tags === undefined || nodes === undefined || cores === undefined)
    return [{ check, verdict: 'unknown', values: {} }];
  const pending = nodesWithAny(tags, nodes, cores).filter(
    (node) => node.core_pending && node.status !== 'disabled' && !isAwaited(node),
  );
  if (pending.length === 0) return [{ check, verdict: 'ok', values: {} }];
  const behind = pending.filter((node) => !hasRefused(node));
  const lines: Check[] = pending.filter(hasRefused).map(({ name, core_config_id: core }) => ({
    check,
    verdict: 'bad',
    reason: 'refused',
    values: { name },
    ...(core !== null && { place: { to: '/cores/$id', id: core } }),
  }));
  if (behind.length > 0)
    lines.push({ check, verdict: 'bad', values: { names: namesOf(behind), count: behind.length } });
  return lines;
}

const hasRefused = ({ status, message_code: code }: Node): boolean => status === 'error' && REFUSALS.includes(code);

function nodesWithAny(tags: readonly string[], nodes: readonly Node[], cores: readonly StoredCore[]): Node[] {
  const serving = new Set(cores.filter((core) => offeredBy(core, tags).length > 0).map(({ id }) => id));
  return nodes.filter(({ core_config_id: core }) => core !== null && serving.has(core));
}
