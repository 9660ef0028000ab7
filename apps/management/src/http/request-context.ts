import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyInstance } from 'fastify';
import type { Actor } from '../auth/actor.js';

/** Who asks, and from where. */
export interface RequestContext {
  readonly actor?: Actor;
  readonly address: string;
}

/** Of an address; a proxy may pass on any text. */
const LONGEST_ADDRESS = 64;

const contexts = new AsyncLocalStorage<() => RequestContext>();

/** Keeps each request's context for whatever it calls. The body is read by then: its events would lose the context. */
export function keepRequestContexts(server: FastifyInstance): void {
  server.addHook('preHandler', (request, _reply, done) => {
    const address = request.ip.slice(0, LONGEST_ADDRESS);
    contexts.run(() => ({ ...(request.actor && { actor: request.actor }), address }), done);
  });
}

/** The context of the request that is being answered; nothing outside of one. */
export const requestContext = (): RequestContext | undefined => contexts.getStore()?.();
