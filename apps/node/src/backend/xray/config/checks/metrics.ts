import { type JsonObject, objectAt, refuse, textAt } from '../json-tree.js';

/** Throws CONFIG_REFUSED for a listener that shows metrics without authentication. */
export function checkMetrics(tree: JsonObject): void {
  if (textAt(objectAt(tree, 'metrics', 'metrics'), 'listen') === '') return;
  refuse('metrics.listen would show users and traffic to everybody who reaches it; remove it, the node tells both');
}
