import { peerNetworkOf } from '@rampart/program';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { FairTurns, type FairTurnsLimits, type TurnOwner } from '../concurrency/fair-turns.js';
import { ManagementError } from '../errors/management-error.js';

/** More at once would make nothing faster: requests share one thread. Many clients may share an address. */
const LIMITS: FairTurnsLimits = {
  atOnce: 32,
  atOnceOfAddress: 16,
  atOnceOfCredential: 8,
  waiting: 4_096,
  waitingOfAddress: 1_024,
};
/** A request that waits for something else, such as a node, or that never ends, gives its turn to another after this time. */
const TURN_MS = 250;
const RETRY_SECONDS = 2;

/**
 * Lets requests take turns by address and credential before their tokens are checked and their bodies are read, so that
 * those of one client do not delay others by their number. Only where many requests come at once does one wait.
 */
export function takeTurns(server: FastifyInstance, limits = LIMITS): void {
  const turns = new FairTurns(limits);
  const ends = new WeakMap<FastifyRequest, () => void>();
  server.addHook('onRequest', (request, _reply, done) =>
    turns.take({
      owner: ownerOf(request),
      begin: (leave) => {
        // Nobody reads the answer to a client that has left while it waited.
        if (request.raw.socket.destroyed) return leave();
        const timer = setTimeout(leave, TURN_MS).unref();
        ends.set(request, () => {
          clearTimeout(timer);
          leave();
        });
        done();
      },
      refuse: () =>
        done(new ManagementError('REQUEST_QUEUE_FULL', undefined, { 'retry-after': String(RETRY_SECONDS) })),
    }),
  );
  server.addHook('onResponse', (request, _reply, done) => {
    ends.get(request)?.();
    done();
  });
}

/**
 * The credential is not checked yet. One that stands in the path, as in subscriptions, counts for its address alone. The
 * reads and the changes of a credential take turns, so that an admin sees its pages while a program of it changes many users.
 */
function ownerOf({ ip, headers, url, method }: FastifyRequest): TurnOwner {
  const address = peerNetworkOf(ip ?? '') ?? 'this machine';
  const credential = headers.authorization ?? headers.cookie ?? `${address} ${url}`;
  return { address, credential: method === 'GET' ? credential : `change ${credential}` };
}
