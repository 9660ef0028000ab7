import { OperatorError, printable } from '@rampart/program';
import type { NodeView } from '../nodes/api/node.dto.js';
import type { ManagementClient } from './management-client.js';

/** Finds nodes by their names, else by their ids. @throws OperatorError that names the one that does not exist */
export async function findNodes(management: ManagementClient, wanted: readonly string[]): Promise<NodeView[]> {
  const nodes = await management.call<NodeView[]>('GET', '/api/nodes');
  return wanted.map((text) => oneOf(nodes, text));
}

/** Finds a node by its name, else by its id. @throws OperatorError where it does not exist */
export const findNode = async (management: ManagementClient, wanted: string): Promise<NodeView> =>
  oneOf(await management.call<NodeView[]>('GET', '/api/nodes'), wanted);

function oneOf(nodes: readonly NodeView[], text: string): NodeView {
  const found = nodes.find(({ name }) => name === text) ?? nodes.find(({ id }) => `${id}` === text);
  if (!found) throw new OperatorError(`There is no node "${printable(text)}": see "rampart node list".`);
  return found;
}
