import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Actor } from './actor.js';

/** The admin who sends a request, and the address from which it came. */
export interface RequestContext {
  readonly actor?: Actor;
  readonly address: string;
}

/** Maximum length of an address. A proxy can forward any text as one. */
const MAX_ADDRESS_LENGTH = 64;

const contexts = new AsyncLocalStorage<() => RequestContext>();
/** Requests that may change something and whose handlers have not answered yet. */
const changing = new Set<FastifyRequest>();
const READING = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Makes the context of every request that may change something available to the code that it calls. While such a
 * context exists, Node.js 20 tracks every promise of the process, which costs a tenth of its time, so it is disabled
 * while no change runs.
 */
export function keepRequestContexts(server: FastifyInstance): void {
  // This hook runs after the body was read: the events of reading it would lose the context.
  server.addHook('preHandler', (request, _reply, done) => {
    if (READING.includes(request.method)) return done();
    changing.add(request);
    const address = request.ip.slice(0, MAX_ADDRESS_LENGTH);
    contexts.run(() => ({ ...(request.actor && { actor: request.actor }), address }), done);
  });
  server.addHook('onSend', (request, _reply, _payload, done) => {
    if (changing.delete(request) && changing.size === 0) contexts.disable();
    done();
  });
}

/** The context of the current request; undefined outside of requests and in requests that only read. */
export const requestContext = (): RequestContext | undefined => contexts.getStore()?.();
