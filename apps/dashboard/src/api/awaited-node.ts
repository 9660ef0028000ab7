import type { Node } from './types';

/** Whether management waits for the first contact with a node, which is no error: nobody may have started it yet. */
export const isAwaited = ({ status, node_version }: Pick<Node, 'status' | 'node_version'>): boolean =>
  node_version === null && status !== 'connected' && status !== 'disabled';
