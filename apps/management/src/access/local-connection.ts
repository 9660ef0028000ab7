import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Actor } from './actor.js';
import type { ControlKey } from './control-key.js';

/** Whoever may read the key of the control socket: no admin of the database, but with the rights of a sudo admin. */
export const LOCAL_ACTOR: Actor = { id: null, username: 'local', isSudo: true };

/** What stands for the address of a client of the control socket, which has none. */
const LOCAL_ADDRESS = 'local';

const keys = new WeakMap<Socket, ControlKey>();

/** Marks a connection as one of the control socket that has this key. */
export function markLocal(socket: Socket, key: ControlKey): void {
  keys.set(socket, key);
  Object.defineProperty(socket, 'remoteAddress', { value: LOCAL_ADDRESS });
}

/** Whether a request came through the control socket and brings its key. */
export const isLocal = ({ socket, headers }: IncomingMessage): boolean => keys.get(socket)?.isIn(headers) === true;
