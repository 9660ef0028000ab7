import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Actor } from './actor.js';

/** The admin who sends a request, and the address from which it came. */
export interface RequestContext {
  readonly actor?: Actor;
  readonly address: string;
  /** The header by which a change names the version of the object that it begins from. */
  readonly ifMatch?: string;
}

interface StoredRequest {
  readonly id: string;
  /** Undefined for requests that only read. */
  readonly context?: () => RequestContext;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Maximum length of an address. A proxy can forward any text as one. */
const MAX_ADDRESS_LENGTH = 64;

const requests = new AsyncLocalStorage<StoredRequest>();
/** Requests with a context whose handlers have not answered yet. */
const open = new Set<FastifyRequest>();
const READING = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Makes the id of every request, and the context of one that may change something, available to the code that it calls.
 * While there is such a request, Node.js 20 tracks every promise of the process, which costs a tenth of its time, so it is
 * disabled while none runs; subscriptions, which are requested far more often than anything else, have none.
 */
export function keepRequestContexts(server: FastifyInstance): void {
  // This hook runs after the body was read: the events of reading it would lose the context.
  server.addHook('preHandler', (request, reply, done) => {
    const { id, method, routeOptions } = request;
    const reads = READING.includes(method);
    if (reads && routeOptions.config.accessLevel === 'public') return done();
    open.add(request);
    const address = request.ip.slice(0, MAX_ADDRESS_LENGTH);
    const ifMatch = request.headers['if-match'];
    const context = () => ({
      ...(request.actor && { actor: request.actor }),
      address,
      ...(ifMatch !== undefined && { ifMatch }),
    });
    requests.run({ id, request, reply, ...(!reads && { context }) }, done);
  });
  server.addHook('onSend', (request, _reply, _payload, done) => {
    if (open.delete(request) && open.size === 0) requests.disable();
    done();
  });
}

/** The context of the current request; undefined outside of requests and in requests that only read. */
export const requestContext = (): RequestContext | undefined => requests.getStore()?.context?.();

/** The current request itself, for cookies; undefined outside of requests. */
export const currentRequest = (): FastifyRequest | undefined => requests.getStore()?.request;

/** Aborts when the client of the current request leaves before it is answered; undefined outside of requests. */
export function clientSignal(): AbortSignal | undefined {
  const answer = requests.getStore()?.reply.raw;
  if (!answer) return undefined;
  const left = new AbortController();
  if (answer.destroyed) left.abort();
  answer.once('close', () => {
    if (!answer.writableFinished) left.abort();
  });
  return left.signal;
}

/** The id of the current request; undefined outside of requests and in requests for subscriptions. */
export const requestId = (): string | undefined => requests.getStore()?.id;
