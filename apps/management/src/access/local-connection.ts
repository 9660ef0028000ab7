import type { Socket } from 'node:net';
import type { Actor } from './actor.js';

/** Whoever may open the control socket: no admin of the database, but with the rights of a sudo admin. */
export const LOCAL_ACTOR: Actor = { id: null, username: 'local', isSudo: true };

/** What stands for the address of a client of the control socket, which has none. */
const LOCAL_ADDRESS = 'local';

const sockets = new WeakSet<Socket>();

/** Marks a connection as one of the control socket, whose file permissions are the login. */
export function markLocal(socket: Socket): void {
  sockets.add(socket);
  Object.defineProperty(socket, 'remoteAddress', { value: LOCAL_ADDRESS });
}

export const isLocal = (socket: Socket): boolean => sockets.has(socket);
