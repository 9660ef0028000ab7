import type { EntityManager } from 'typeorm';
import { NODES_CHANNEL } from './node-channel.js';

/** `reconnect`: with a new connection, by the row as it is, and a Start. `sync`: the full set of users. */
export type NodeCommand = 'reconnect' | 'sync';

const COMMANDS: readonly NodeCommand[] = ['reconnect', 'sync'];

/**
 * Tells the replicas that serve these nodes what to do when the transaction commits. Nothing is stored: a replica that does
 * not hear it has lost its nodes, and whoever wins them begins with all that is commanded here.
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

/** The command in an announcement; undefined where it is none. */
export function parseNodeCommand(payload: string): { command: NodeCommand; nodeId: number } | undefined {
  const [name, id] = payload.split(' ');
  const command = COMMANDS.find((known) => known === name);
  return command && { command, nodeId: Number(id) };
}
