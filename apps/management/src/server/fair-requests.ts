import { type ProgramMetrics, peerNetworkOf, siteNetworkOf, whenResponseCloses } from '@rampart/program';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Actor } from '../access/actor.js';
import { FairTurns, type FairTurnsLimits, type TurnOwner } from '../concurrency/fair-turns.js';
import { ManagementError } from '../errors/management-error.js';
import { isEventStream } from '../http/event-stream.js';

/** More at once would make nothing faster: requests share one thread. Many clients may share an address. */
const LIMITS: FairTurnsLimits = {
  atOnce: { all: 32, network: 16, address: 16, credential: 8 },
  waiting: { all: 4_096, network: 2_048, address: 1_024 },
};
/**
 * Of one admin so many reads by logins run at once, and so many by API tokens: ten connections to the database are for all. A
 * leaked token, or a stolen login, leaves one for the others.
 */
const READS: FairTurnsLimits = {
  atOnce: { all: Number.POSITIVE_INFINITY, network: 4, address: Number.POSITIVE_INFINITY, credential: 3 },
  waiting: { all: 4_096, network: 4_096, address: 4_096 },
};
/** So many connections are left for what reads do beside, such as counting a list that is read. */
const SPARE_CONNECTIONS = 2;
/** A read whose answer has not begun after this time gives its place to another. */
const READ_MS = 10_000;
/** A request that waits for something else, such as a node, or that never ends, gives its turn to another after this time. */
const TURN_MS = 250;
/** For so long the work for a client that has left counts as one of its reads, unless it has ended before. */
const LEFT_MS = 10_000;
const RETRY_SECONDS = 2;
/** Bodies that are longer arrive over many turns of the event loop, and wait in memory until they are whole. */
const LARGE_BODY_BYTES = 64 * 1024;
const LARGE_BODIES: FairTurnsLimits = {
  atOnce: { all: 32, network: 8, address: Number.POSITIVE_INFINITY, credential: 6 },
  waiting: { all: 4_096, network: 1_024, address: 1_024 },
};
/** A body that has not arrived after this time gives its place to another. */
const LARGE_BODY_MS = 10_000;
/** Routes that may wait for nodes, or ask them for as long as a client listens. */
const ASKS_NODES = /^\/api\/(?:node\/|nodes\/|doctor)/;
/** Ends the turn of a request. */
const turnEnds = new WeakMap<FastifyRequest, () => void>();
const endTurn = (request: FastifyRequest): void => turnEnds.get(request)?.();

/** Returns what ends a turn, which ends by itself after a time. */
function endedAfter(ms: number, leave: () => void): () => void {
  const timer = setTimeout(leave, ms).unref();
  return () => {
    clearTimeout(timer);
    leave();
  };
}

/**
 * Lets requests take turns by network, address and credential before their tokens are checked and their bodies are read, so
 * that those of one client do not delay others by their number. Only where many requests come at once does one wait. A turn
 * lasts while management works: not while a body arrives, nor while an answer is read. Returns how many wait.
 */
export function takeTurns(server: FastifyInstance, limits = LIMITS, turnMs = TURN_MS): FairTurns {
  const turns = new FairTurns(limits);
  const take = (request: FastifyRequest, done: (error?: Error) => void): void =>
    turns.take({
      owner: ownerOf(request),
      begin: (leave) => {
        // Nobody reads the answer to a client that has left while it waited.
        if (request.raw.socket.destroyed) return leave();
        const end = endedAfter(turnMs, leave);
        turnEnds.set(request, () => {
          turnEnds.delete(request);
          end();
        });
        done();
      },
      refuse: () => done(queueFull()),
    });
  server.addHook('onRequest', (request, _reply, done) => take(request, done));
  server.addHook('preParsing', (request, _reply, _payload, done) => {
    if (request.method !== 'GET' && !request.raw.complete) endTurn(request);
    done();
  });
  server.addHook('preValidation', (request, _reply, done) => (turnEnds.has(request) ? done() : take(request, done)));
  server.addHook('preHandler', (request, _reply, done) => {
    if (isLogin(request)) endTurn(request);
    done();
  });
  server.addHook('onSend', (request, _reply, _payload, done) => {
    endTurn(request);
    done();
  });
  return turns;
}

/**
 * Lets an admin have a few reads at a time, each until its answer has been read: a list may be long, and its reader slow. Those
 * of API tokens do not keep it out of the dashboard, and neither does one token keep out another.
 * Reads that may wait for nodes are left out. Returns how many wait.
 */
export function limitReads(server: FastifyInstance, limitMs = LEFT_MS): FairTurns {
  const reads = new FairTurns(READS);
  const ends = new WeakMap<FastifyRequest, () => void>();
  const answered = new WeakSet<FastifyRequest>();
  server.addHook('preHandler', (request, reply, done) => {
    const { actor, method, raw, routeOptions } = request;
    if (!isRead(method) || actor === undefined || ASKS_NODES.test(routeOptions.url ?? '')) return done();
    let hasBegun = false;
    reads.take({
      owner: readerOf(actor),
      begin: (leave) => {
        hasBegun = true;
        if (raw.socket.destroyed) return leave();
        ends.set(request, leave);
        // A client that leaves does not end the work for it.
        whenResponseCloses(reply.raw, () =>
          answered.has(request) ? leave() : void setTimeout(leave, limitMs).unref(),
        );
        done();
      },
      refuse: () => done(queueFull()),
    });
    if (!hasBegun) endTurn(request);
  });
  server.addHook('onSend', (request, reply, _payload, done) => {
    answered.add(request);
    if (isEventStream(reply) || request.raw.socket.destroyed) ends.get(request)?.();
    done();
  });
  return reads;
}

/**
 * Lets the reads of all admins that wait for the database take turns: half of the connections is kept for admins who have none,
 * so that a few admins do not keep others from reading. A turn ends when the answer begins. Returns how many wait.
 */
export function shareConnections(server: FastifyInstance, connections: number, limitMs = READ_MS): FairTurns {
  const all = Math.max(2, connections - SPARE_CONNECTIONS);
  const reads = new FairTurns({
    atOnce: { all, network: all, address: all, credential: all },
    kept: Math.ceil(all / 2),
    waiting: { all: 4_096, network: 4_096, address: 4_096 },
  });
  const ends = new WeakMap<FastifyRequest, () => void>();
  server.addHook('preHandler', (request, _reply, done) => {
    const { actor, method, raw, routeOptions } = request;
    if (!isRead(method) || actor === undefined || ASKS_NODES.test(routeOptions.url ?? '')) return done();
    const { network: address, credential } = readerOf(actor);
    let hasBegun = false;
    reads.take({
      owner: { network: actor.username, address, credential },
      begin: (leave) => {
        hasBegun = true;
        if (raw.socket.destroyed) return leave();
        ends.set(request, endedAfter(limitMs, leave));
        done();
      },
      refuse: () => done(queueFull()),
    });
    if (!hasBegun) endTurn(request);
  });
  server.addHook('onSend', (request, _reply, _payload, done) => {
    ends.get(request)?.();
    done();
  });
  return reads;
}

/**
 * Lets an admin send a few large bodies at a time by logins, and a few by API tokens, none of which may have all places: what
 * has arrived of them is held in memory. Others wait unread. Returns how many wait.
 */
export function limitLargeBodies(server: FastifyInstance, limits = LARGE_BODIES, limitMs = LARGE_BODY_MS): FairTurns {
  const bodies = new FairTurns(limits);
  const ends = new WeakMap<FastifyRequest, () => void>();
  server.addHook('preParsing', (request, reply, _payload, done) => {
    const { actor, headers, raw } = request;
    const length =
      headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Number.POSITIVE_INFINITY;
    if (actor === undefined || raw.complete || length <= LARGE_BODY_BYTES) return done();
    bodies.take({
      owner: readerOf(actor),
      begin: (leave) => {
        if (raw.socket.destroyed) return leave();
        const end = endedAfter(limitMs, leave);
        ends.set(request, end);
        whenResponseCloses(reply.raw, end);
        done();
      },
      refuse: () => done(queueFull()),
    });
  });
  server.addHook('preValidation', (request, _reply, done) => {
    ends.get(request)?.();
    done();
  });
  return bodies;
}

/** Adds how many requests wait, by the name of what they wait for. */
export function addTurnMetrics(metrics: ProgramMetrics, queues: Readonly<Record<string, FairTurns>>): void {
  const waiting = metrics.gauge({
    name: 'rampart_requests_waiting',
    help: 'Requests that wait for their turn among all clients, or for earlier reads or large bodies of the same admin.',
    labelNames: ['queue'],
  });
  metrics.readAtScrape('turns', [waiting], () => {
    for (const [queue, { figures }] of Object.entries(queues)) waiting.set({ queue }, figures.waiting);
  });
}

const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD';

/** The next request of the client needs a connection of its own, so that many refusals cost it more than the service. */
const queueFull = (): ManagementError =>
  new ManagementError('REQUEST_QUEUE_FULL', undefined, { 'retry-after': String(RETRY_SECONDS), connection: 'close' });

/** Logins have a queue of their own, in which they may wait for seconds: what follows of one before it costs next to nothing. */
const isLogin = ({ method, routeOptions }: FastifyRequest): boolean =>
  method === 'POST' && routeOptions.config.accessLevel === 'public';

function readerOf({ username, apiTokenId, sessionId }: Actor): TurnOwner {
  const kind = `${apiTokenId === undefined ? 'login' : 'token'} ${username}`;
  return { network: kind, address: '', credential: `${kind} ${apiTokenId ?? sessionId ?? ''}` };
}

/**
 * The credential is not checked yet. One that stands in the path, as in subscriptions, counts for its address alone. The
 * reads and the changes of a credential take turns, so that an admin sees its pages while a program of it changes many users.
 */
function ownerOf({ ip, headers, url, method }: FastifyRequest): TurnOwner {
  const address = peerNetworkOf(ip ?? '') ?? 'this machine';
  // No header can have a line break.
  const credential = headers.authorization ?? headers.cookie ?? `\n${address} ${url}`;
  return {
    network: siteNetworkOf(ip ?? '') ?? address,
    address,
    credential: isRead(method) ? credential : `change ${credential}`,
  };
}
