import type { EntityManager } from 'typeorm';

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
  await manager.query(`SELECT pg_notify($1, $2 || ' ' || id) FROM unnest($3::integer[]) AS given (id)`, [
    NODES_CHANNEL,
    command,
    ids,
  ]);
}

/** The command in a message of the channel; undefined where the message only announces a change. */
export function parseNodeCommand(payload: string): { command: NodeCommand; nodeId: number } | undefined {
  const [name, id] = payload.split(' ');
  const command = COMMANDS.find((known) => known === name);
  return command && { command, nodeId: Number(id) };
}
