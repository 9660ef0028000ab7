import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Actor } from './actor.js';

/** Who asks, and from where. */
export interface RequestContext {
  readonly actor?: Actor;
  readonly address: string;
}

/** Of an address; a proxy may pass on any text. */
const LONGEST_ADDRESS = 64;

const contexts = new AsyncLocalStorage<() => RequestContext>();
/** Requests that may change something, until their handler has its answer. */
const changing = new Set<FastifyRequest>();
const READING = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Keeps the context of each request that may change something for whatever it calls. While one is kept, Node.js 20 follows
 * every promise of the process, which takes a tenth of its time: so none is when nothing is being changed.
 */
export function keepRequestContexts(server: FastifyInstance): void {
  // The body is read by then: its events would lose the context.
  server.addHook('preHandler', (request, _reply, done) => {
    if (READING.includes(request.method)) return done();
    changing.add(request);
    const address = request.ip.slice(0, LONGEST_ADDRESS);
    contexts.run(() => ({ ...(request.actor && { actor: request.actor }), address }), done);
  });
  server.addHook('onSend', (request, _reply, _payload, done) => {
    if (changing.delete(request) && changing.size === 0) contexts.disable();
    done();
  });
}

/** The context of the request that is being answered; nothing outside of one. */
export const requestContext = (): RequestContext | undefined => contexts.getStore()?.();
