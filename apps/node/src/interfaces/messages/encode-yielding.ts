import { setImmediate as turn } from 'node:timers/promises';
import type { MessageFns } from '@rampart/node-client';

/**
 * Maximum number of list items encoded in one turn of the event loop: about 10 ms of work. Encoding 100,000 users at
 * once would block the event loop for 400 ms.
 */
const MAX_ITEMS_PER_TURN = 5000;

/**
 * Encodes a message and lets other events run between the parts of its long lists. Concatenated messages are one
 * message.
 */
export async function encodeYielding<T extends object>(type: MessageFns<T>, message: T): Promise<Buffer> {
  const lists = Object.entries(message).filter(
    (entry): entry is [string, unknown[]] => Array.isArray(entry[1]) && entry[1].length > MAX_ITEMS_PER_TURN,
  );
  const rest = { ...message, ...Object.fromEntries(lists.map(([name]) => [name, []])) };
  const parts = [type.encode(rest).finish()];
  for (const [name, list] of lists) {
    for (let at = 0; at < list.length; at += MAX_ITEMS_PER_TURN) {
      await turn();
      parts.push(type.encode({ ...type.create(), [name]: list.slice(at, at + MAX_ITEMS_PER_TURN) }).finish());
    }
  }
  return Buffer.concat(parts);
}
