import type { EntityManager } from 'typeorm';
import { requestId } from '../../access/request-context.js';

/** The channel on which replicas tell each other that nodes were added, changed or removed, and send commands to workers. */
export const NODES_CHANNEL = 'rampart_nodes';

/** `reconnect`: open a new connection by the present row, and start the node. `sync`: send the full set of users. */
export type NodeCommand = 'reconnect' | 'sync';

const COMMANDS: readonly NodeCommand[] = ['reconnect', 'sync'];

/** Has every replica look at the table of nodes again, once the transaction has committed. */
export async function announceNodeChange(manager: EntityManager): Promise<void> {
  await manager.query('SELECT pg_notify($1, $2)', [NODES_CHANNEL, '']);
}

/**
 * Sends a command to the workers of these nodes once the transaction has committed. Nothing is stored: a replica that
 * misses the command has lost its nodes, and the worker that takes over begins with everything that can be commanded.
 */
export async function sendNodeCommand(
  manager: EntityManager,
  ids: readonly number[],
  command: NodeCommand,
): Promise<void> {
  await manager.query(
    `SELECT pg_notify($1, concat_ws(' ', $2::text, id, $4::text)) FROM unnest($3::integer[]) AS given (id)`,
    [NODES_CHANNEL, command, ids, requestId() ?? null],
  );
}

/** The command in a message of the channel, and the request that gave it; undefined where the message only announces a change. */
export function parseNodeCommand(
  payload: string,
): { command: NodeCommand; nodeId: number; requestId: string | undefined } | undefined {
  const [name, id, requestId] = payload.split(' ');
  const command = COMMANDS.find((known) => known === name);
  return command && { command, nodeId: Number(id), requestId };
}
