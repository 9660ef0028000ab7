import { isAwaited } from '../../api/awaited-node';
import { refusedIn } from '../../api/node-message';
import type { HostHealth, Node } from '../../api/types';

/** Something that needs attention; its sentence is `overview.items.<kind>` with these values, and `to` is where to do something about it. */
export interface AttentionItem {
  /** Differs from those of all others that need attention now. */
  id: string;
  kind:
    | 'nodeError'
    | 'nodeAwaited'
    | 'allDisabled'
    | 'corePending'
    | 'refused'
    | 'nodeWarning'
    | 'certificate'
    | 'certificateEnded'
    | 'hostFails'
    | 'hostPartly';
  tone: 'bad' | 'warning' | 'info';
  values: Record<string, string | number>;
  /** What the service says about it. */
  detail?: string;
  to: '/nodes' | '/hosts' | '/cores';
}

/** The worst first. */
const TONES = ['bad', 'warning', 'info'] as const;
const DAY_MS = 86_400_000;
/** Certificates are renewed long before; one that ends so soon was not. */
const EXPIRES_SOON_DAYS = 14;

/** What needs attention, the worst first. `now` is in milliseconds since 1970. */
export function attentionItems(nodes: readonly Node[], hosts: readonly HostHealth[], now: number): AttentionItem[] {
  const items = [
    ...nodesDisabled(nodes),
    ...nodes.flatMap((node) => nodeItems(node, now)),
    ...hosts.flatMap(hostItems),
  ];
  return TONES.flatMap((tone) => items.filter((item) => item.tone === tone));
}

/** Nobody can connect while no node is enabled. */
function nodesDisabled(nodes: readonly Node[]): AttentionItem[] {
  const isServing = nodes.length === 0 || nodes.some(({ status }) => status !== 'disabled');
  return isServing ? [] : [{ id: 'nodes disabled', kind: 'allDisabled', tone: 'bad', values: {}, to: '/nodes' }];
}

function nodeItems(node: Node, now: number): AttentionItem[] {
  const { id, name, status, message, core_pending: isPending, certificate_expires_at: end } = node;
  const values = { name };
  const of = (kind: AttentionItem['kind'], at = 0) => ({ id: `node ${id} ${kind} ${at}`, kind });
  if (status === 'disabled') return [];
  if (isAwaited(node)) return [{ ...of('nodeAwaited'), tone: 'info', values, to: '/nodes' }];
  const items: AttentionItem[] = [];
  if (status === 'error')
    items.push({ ...of('nodeError'), tone: 'bad', values, to: '/nodes', ...(message && { detail: message }) });
  else
    for (const [at, line] of (message?.split('\n') ?? []).entries()) {
      const refused = refusedIn(line);
      if (refused !== undefined)
        items.push({
          ...of('refused', at),
          tone: 'warning',
          values: { name, count: refused },
          detail: line,
          to: '/nodes',
        });
      else items.push({ ...of('nodeWarning', at), tone: 'warning', values, detail: line, to: '/nodes' });
    }
  if (isPending) items.push({ ...of('corePending'), tone: 'warning', values, to: '/cores' });
  const days = end === null ? Number.POSITIVE_INFINITY : Math.floor((new Date(end).getTime() - now) / DAY_MS);
  if (days < 0) items.push({ ...of('certificateEnded'), tone: 'bad', values, to: '/nodes' });
  else if (days < EXPIRES_SOON_DAYS)
    items.push({
      ...of('certificate'),
      tone: days < 3 ? 'bad' : 'warning',
      values: { name, count: days },
      to: '/nodes',
    });
  return items;
}

function hostItems({ host_id: id, remark, status, message }: HostHealth): AttentionItem[] {
  const rest = {
    id: `host ${id}`,
    values: { name: remark },
    to: '/hosts' as const,
    ...(message && { detail: message }),
  };
  if (status === 'fails') return [{ kind: 'hostFails', tone: 'bad', ...rest }];
  return status === 'partly' ? [{ kind: 'hostPartly', tone: 'warning', ...rest }] : [];
}
