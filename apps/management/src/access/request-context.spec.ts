import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import Fastify, { type FastifyInstance } from 'fastify';
import type { AccessLevel } from './access-level.js';
import { keepRequestContexts, requestContext, requestId } from './request-context.js';

let server: FastifyInstance;
/** Functions that end the waiting handlers, by the name of their request. */
let ends: Map<string, () => void>;
/** The context at the end of each handler, by the name of its request. */
let seen: Map<string, unknown>;

beforeEach(async () => {
  ends = new Map();
  seen = new Map();
  server = Fastify();
  server.addHook('onRequest', async (request) => {
    request.actor = { id: 1, username: String(request.headers['x-name']), isSudo: true };
  });
  keepRequestContexts(server);
  server.all('/', async (request) => {
    const name = String(request.headers['x-name']);
    const before = requestContext();
    await new Promise<void>((resolve) => ends.set(name, resolve));
    await turn();
    seen.set(name, requestContext());
    return { before, after: seen.get(name) };
  });
});

const ask = (name: string, method: 'GET' | 'POST' | 'DELETE' = 'POST') =>
  server.inject({ method, url: '/', headers: { 'x-name': name }, remoteAddress: '10.0.0.7' });

async function end(name: string): Promise<void> {
  while (!ends.has(name)) await turn();
  ends.get(name)?.();
}

const contextOf = (username: string) => ({ actor: { id: 1, username, isSudo: true }, address: '10.0.0.7' });

describe('the context of a request', () => {
  it('exists until the change is made, even while other requests end', async () => {
    const [first, second] = [ask('first'), ask('second', 'DELETE')];
    await end('first');
    expect((await first).json()).toEqual({ before: contextOf('first'), after: contextOf('first') });
    await end('second');
    expect((await second).json()).toEqual({ before: contextOf('second'), after: contextOf('second') });
    const third = ask('third');
    await end('third');
    expect((await third).json()).toEqual({ before: contextOf('third'), after: contextOf('third') });
    expect(requestContext()).toBeUndefined();
  });

  it('exists after the client has disconnected', async () => {
    await server.listen({ host: '127.0.0.1', port: 0 });
    const { port } = server.server.address() as AddressInfo;
    const headers = { 'x-name': 'lost' };
    const lost = request({ host: '127.0.0.1', port, method: 'POST', headers }).on('error', () => undefined);
    lost.end();
    while (!ends.has('lost')) await turn();
    lost.destroy();
    const other = ask('other');
    await end('other');
    await other;
    await end('lost');
    while (!seen.has('lost')) await turn();
    expect(seen.get('lost')).toMatchObject({ actor: { username: 'lost' } });
    await server.close();
  });

  it('does not exist for requests that only read', async () => {
    const reading = ask('reader', 'GET');
    await end('reader');
    expect((await reading).json()).toEqual({});
  });
});

describe('the id of a request', () => {
  const idSeen = async (method: 'GET' | 'POST', accessLevel: AccessLevel): Promise<unknown> => {
    server.route({
      method,
      url: '/id',
      config: { accessLevel },
      handler: async () => turn().then(() => ({ id: requestId() })),
    });
    const { id } = (await server.inject({ method, url: '/id' })).json();
    return id;
  };

  it.each([
    ['GET', 'sudo'],
    ['GET', 'admin'],
    ['POST', 'admin'],
    ['POST', 'public'],
  ] as const)('is known to the code behind %s with the level %s', async (method, level) => {
    expect(await idSeen(method, level)).toMatch(/^req-/);
    expect(requestId()).toBeUndefined();
  });

  it('is not kept for subscriptions, which would become slower', async () => {
    expect(await idSeen('GET', 'public')).toBeUndefined();
  });
});
