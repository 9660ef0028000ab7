import { once } from 'node:events';
import { type IncomingMessage, ServerResponse } from 'node:http';
import net from 'node:net';
import { PassThrough } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ProgramMetrics } from '@rampart/program';
import { eventually } from '@rampart/testing';
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import type { Actor } from '../access/actor.js';
import { AccessHook } from '../auth/access.hook.js';
import type { ManagementError } from '../errors/management-error.js';
import { TestManagement } from '../testing/test-management.js';
import { addTurnMetrics, limitLargeBodies, limitReads, shareConnections, takeTurns } from './fair-requests.js';

const STRANGERS = 300;
const sockets: net.Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

async function connect(port: number, localAddress: string): Promise<net.Socket> {
  const socket = net.connect({ port, host: '127.0.0.1', localAddress }).on('error', () => undefined);
  sockets.push(socket);
  await once(socket, 'connect');
  return socket;
}

const request = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`;

describe('requests of many connections', () => {
  let management: TestManagement;
  let port: number;
  beforeAll(async () => {
    management = await TestManagement.start({ RAMPART_MAX_SOCKETS_PER_ADDRESS: '1000' });
    port = await management.listen();
  });
  afterAll(() => management?.close());

  it('security row 79: a request is answered before most of 300 that another address has sent before it', async () => {
    const strangers = await Promise.all(Array.from({ length: STRANGERS }, () => connect(port, '127.0.0.9')));
    const bystander = await connect(port, '127.0.0.1');
    const answered: string[] = [];
    management.app.getHttpServer().on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      const from = socket.remoteAddress ?? '';
      response.once('finish', () => answered.push(from));
    });
    for (const socket of [...strangers, bystander]) socket.resume().write(request('/sub/unknown'));
    await eventually('all are answered', (saw) => saw(answered).length === STRANGERS + 1);
    expect(answered.indexOf('127.0.0.1')).toBeLessThan(STRANGERS / 2);
  });
});

describe('bodies that arrive at once', () => {
  let management: TestManagement;
  let port: number;
  beforeAll(async () => {
    management = await TestManagement.start();
    port = await management.listen();
  });
  afterAll(() => management?.close());

  it('security row 97: are parsed one in a turn of the event loop, those of logins too', async () => {
    const token = await management.plainAdmin('plain');
    const body = '{"username":[]}';
    const checks = jest.spyOn(AccessHook.prototype, 'check');
    const sockets = await Promise.all(
      Array.from({ length: 16 }, async (_, n) => {
        const socket = await connect(port, '127.0.0.1');
        const path = n % 2 === 0 ? '/api/admin/token' : '/api/user';
        const headers = `host: a\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json`;
        socket.write(`POST ${path} HTTP/1.1\r\n${headers}\r\ncontent-length: ${body.length}\r\n\r\n{`);
        return socket;
      }),
    );
    await eventually('the changes are admitted', (saw) => saw(checks.mock.results).length === 8);
    await Promise.all(checks.mock.results.map(({ value }) => value));
    checks.mockRestore();
    let turn = 0;
    const turns: number[] = [];
    let counts = true;
    const count = (): void => {
      turn += 1;
      if (counts) setImmediate(count);
    };
    count();
    const original = JSON.parse;
    const parse = jest.spyOn(JSON, 'parse').mockImplementation((text, ...others) => {
      if (text === body) turns.push(turn);
      return original(text, ...others);
    });
    const answers = sockets.map((socket) => once(socket, 'data'));
    for (const socket of sockets) socket.write(body.slice(1));
    for (const [answer] of await Promise.all(answers)) expect(String(answer)).toMatch(/^HTTP\/1\.1 422 /);
    counts = false;
    parse.mockRestore();
    expect(turns).toHaveLength(16);
    expect(new Set(turns).size).toBe(16);
  });
});

describe('requests that are sent before the last one is answered', () => {
  let management: TestManagement;
  let port: number;
  beforeAll(async () => {
    management = await TestManagement.start();
    port = await management.listen();
  });
  afterAll(() => management?.close());

  it('security row 79: a connection with many requests in one chunk is ended, and none but the first is looked at', async () => {
    const socket = await connect(port, '127.0.0.1');
    const handled = jest.spyOn(ServerResponse.prototype, 'writeHead');
    socket.write(Array.from({ length: 500 }, (_, index) => request(`/sub/${index}`)).join(''));
    const answers: Buffer[] = [];
    socket.on('data', (chunk) => answers.push(chunk));
    await once(socket, 'close');
    expect(
      Buffer.concat(answers)
        .toString()
        .match(/HTTP\/1\.1/g) ?? [],
    ).toHaveLength(0);
    expect(handled.mock.calls.length).toBeLessThan(2);
    handled.mockRestore();
  });

  it.each([
    ['without Host', 'GET / HTTP/1.1\r\n\r\n'],
    ['with a broken path', 'GET /% HTTP/1.1\r\nhost: a\r\n\r\n'],
    ['of HTTP/1.0', 'GET / HTTP/1.0\r\nconnection: keep-alive\r\n\r\n'],
    ['with an expectation', 'GET / HTTP/1.1\r\nhost: a\r\nexpect: answers\r\n\r\n'],
    ['with two lengths', 'GET / HTTP/1.1\r\ncontent-length: 0\r\ncontent-length: 1\r\n\r\n'],
  ])(
    'security row 79: a connection with many requests %s in one chunk gets one answer, and ends',
    async (_, refused) => {
      const socket = await connect(port, '127.0.0.1');
      const handled = jest.spyOn(ServerResponse.prototype, 'writeHead');
      const seen: IncomingMessage[] = [];
      management.app.getHttpServer().on('request', (one: IncomingMessage) => seen.push(one));
      socket.write(refused.repeat(500));
      const answers: Buffer[] = [];
      socket.on('data', (chunk) => answers.push(chunk));
      await once(socket, 'close');
      expect(
        Buffer.concat(answers)
          .toString()
          .match(/HTTP\/1\.1/g)?.length ?? 0,
      ).toBeLessThan(2);
      expect(handled.mock.calls.length).toBeLessThan(2);
      handled.mockRestore();
      // What stands behind the second request is not even parsed.
      expect(seen.length).toBeLessThan(3);
    },
  );

  it('a connection is used again for a request that follows the answer to the last one', async () => {
    const socket = await connect(port, '127.0.0.1');
    for (const name of ['one', 'two', 'three']) {
      socket.write(request(`/sub/${name}`));
      const [answer] = (await once(socket, 'data')) as [Buffer];
      expect(answer.toString()).toMatch(/^HTTP\/1\.1 404 /);
    }
  });
});

describe(takeTurns.name, () => {
  const LIMITS = {
    atOnce: { all: 2, network: 2, address: 1, credential: 1 },
    waiting: { all: 8, network: 8, address: 2 },
  };
  /** More than sockets hold for a client that does not read. */
  const LARGE = Buffer.alloc(16 * 2 ** 20);
  const handled: string[] = [];
  const ends = new Map<string, () => void>();
  let server: FastifyInstance;
  let metrics: ProgramMetrics;
  let port: number;

  async function start(turnMs?: number): Promise<void> {
    server = Fastify();
    server.setErrorHandler((error, _request, reply) => {
      const { status, code, headers } = error as ManagementError;
      return reply.status(status).headers(headers).send({ code });
    });
    metrics = new ProgramMetrics();
    addTurnMetrics(metrics, { turns: takeTurns(server, LIMITS, turnMs) });
    const handle = async ({ params }: FastifyRequest): Promise<string> => {
      const { name } = params as { name: string };
      handled.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
      return name;
    };
    server.get('/large/:name', async ({ params }) => {
      handled.push((params as { name: string }).name);
      return LARGE;
    });
    server.get('/:name', handle);
    server.post('/:name', handle);
    server.post('/login/:name', { config: { accessLevel: 'public' } }, handle);
    const address = await server.listen({ port: 0, host: '127.0.0.1' });
    port = Number(address.split(':').at(-1));
  }
  beforeEach(() => {
    handled.length = 0;
    ends.clear();
  });
  afterEach(async () => {
    server.server.closeAllConnections();
    await server.close();
  });

  const send = async (text: string, localAddress: string): Promise<net.Socket> => {
    const socket = await connect(port, localAddress);
    socket.write(text);
    return socket;
  };
  const ask = (name: string, localAddress: string) => send(request(`/${name}`), localAddress);
  const begins = (name: string) => eventually(`${name} is handled`, (saw) => saw(handled).includes(name));
  const post = (path: string, body: string, length = body.length): string =>
    `POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n${body}`;

  describe('with turns that end with the work alone', () => {
    beforeEach(() => start(3_600_000));

    it('refuses what an address sends beyond its queue with 503 and a time to come back, and nobody else', async () => {
      await ask('1', '127.0.0.7');
      await begins('1');
      for (const name of ['2', '3']) await ask(name, '127.0.0.7');
      await eventually('two wait', async (saw) =>
        saw(await metrics.text()).includes('rampart_requests_waiting{queue="turns"} 2'),
      );
      const [refused] = (await once(await ask('4', '127.0.0.7'), 'data')) as [Buffer];
      expect(refused.toString()).toMatch(
        /^HTTP\/1\.1 503 .*retry-after: 2\r\nconnection: close\r\n.*"REQUEST_QUEUE_FULL"/s,
      );
      await ask('other', '127.0.0.1');
      await begins('other');
    });

    it('passes over clients that have left while they waited', async () => {
      await ask('first', '127.0.0.8');
      await begins('first');
      (await ask('left', '127.0.0.8')).destroy();
      await ask('last', '127.0.0.8');
      // The server hears of the end before the turn of that request comes.
      await eventually('the connection is closed', async (saw) => saw(await connectionsOf(server)) === 2);
      ends.get('first')?.();
      await begins('last');
      expect(handled).not.toContain('left');
    });

    it('security row 79: a body that does not arrive holds no turn, and is handled in a new one when it has arrived', async () => {
      const slow = await send(post('/slow', '{', 2), '127.0.0.7');
      await send(post('/never', '{', 2), '127.0.0.8');
      await ask('other', '127.0.0.1');
      await begins('other');
      await ask('second', '127.0.0.9');
      await begins('second');
      slow.write('}');
      ends.get('other')?.();
      await begins('slow');
      expect(handled).toEqual(['other', 'second', 'slow']);
    });

    it('security row 79: an answer that is not read holds no turn', async () => {
      for (const [name, from] of [
        ['one', '127.0.0.7'],
        ['two', '127.0.0.8'],
      ] as const) {
        (await send(request(`/large/${name}`), from)).pause();
        await begins(name);
      }
      await ask('other', '127.0.0.1');
      await begins('other');
    });

    it('security row 97: the body of a login is looked at in a turn of its own when it has arrived', async () => {
      const login = await send(post('/login/late', '{', 2), '127.0.0.7');
      for (const [name, from] of [
        ['one', '127.0.0.1'],
        ['two', '127.0.0.8'],
      ] as const) {
        await ask(name, from);
        await begins(name);
      }
      login.write('}');
      await ask('next', '127.0.0.9');
      await eventually('both wait', async (saw) =>
        saw(await metrics.text()).includes('rampart_requests_waiting{queue="turns"} 2'),
      );
      expect(handled).toEqual(['one', 'two']);
      ends.get('one')?.();
      await begins('late');
      await begins('next');
    });

    it('security row 79: a login that waits for others holds no turn', async () => {
      await send(post('/login/one', '{}'), '127.0.0.7');
      await send(post('/login/two', '{}'), '127.0.0.8');
      for (const name of ['one', 'two']) await begins(name);
      await ask('other', '127.0.0.1');
      await begins('other');
    });
  });

  it('gives the turn of a request that lasts to another', async () => {
    await start();
    await ask('endless', '127.0.0.9');
    await begins('endless');
    await ask('next', '127.0.0.9');
    await begins('next');
    expect(ends.has('endless')).toBe(true);
  });
});

describe(limitReads.name, () => {
  const handled: string[] = [];
  const ends = new Map<string, () => void>();
  let server: FastifyInstance;
  let port: number;

  beforeAll(async () => {
    server = Fastify();
    limitReads(server, 50);
    server.decorateRequest('actor');
    server.addHook('onRequest', async (request) => {
      const [username = '', login, token] = String(request.headers['x-admin']).split(' ');
      request.actor = {
        username,
        ...(login && { sessionId: Number(login) }),
        ...(token && { apiTokenId: Number(token) }),
      } as Actor;
    });
    const routes = { admin: '/:name', sudo: '/api/node/:name' } as const;
    for (const accessLevel of ['admin', 'sudo'] as const)
      server.get(routes[accessLevel], { config: { accessLevel } }, async ({ params }, reply) => {
        const { name } = params as { name: string };
        handled.push(name);
        if (name.startsWith('events')) return reply.type('text/event-stream').send(new PassThrough());
        await new Promise<void>((resolve) => ends.set(name, resolve));
        return name;
      });
    const address = await server.listen({ port: 0, host: '127.0.0.1' });
    port = Number(address.split(':').at(-1));
  });
  afterAll(async () => {
    server.server.closeAllConnections();
    await server.close();
  });

  const ask = async (path: string, admin: string): Promise<net.Socket> => {
    const socket = await connect(port, '127.0.0.1');
    socket.write(`GET ${path} HTTP/1.1\r\nhost: a\r\nx-admin: ${admin}\r\n\r\n`);
    return socket;
  };
  const begin = (...names: string[]) =>
    eventually(`${names} are handled`, (saw) => saw(names).every((name) => handled.includes(name)));

  afterEach(() => {
    for (const end of ends.values()) end();
    ends.clear();
    handled.length = 0;
  });
  const after = async (name: string, path: string, admin: string): Promise<void> => {
    await ask(path, admin);
    await begin(name);
  };

  it('security row 99: the reads of an API token keep neither logins of its admin nor its other tokens out', async () => {
    for (const name of ['1', '2', '3']) await after(name, `/${name}`, 'owner  7');
    for (const name of ['4', '5', '6', '7', '8']) await ask(`/${name}`, 'owner  7');
    for (const name of ['a', 'b', 'c']) await after(name, `/${name}`, 'owner 1');
    await ask('/d', 'owner 1');
    await after('e', '/e', 'owner 2');
    await after('other token', '/other%20token', 'owner  8');
    expect(handled).toEqual(['1', '2', '3', 'a', 'b', 'c', 'e', 'other token']);
    ends.get('2')?.();
    await begin('4');
    ends.get('b')?.();
    await begin('d');
    expect(handled).toHaveLength(10);
  });

  it('security row 79: an admin has four reads at a time, besides events and what asks nodes', async () => {
    const first = await ask('/1', 'greedy');
    await ask('/2', 'greedy');
    const third = await ask('/3', 'greedy');
    await ask('/4', 'greedy 1');
    await begin('1', '2', '3', '4');
    await ask('/5', 'greedy');
    for (const name of ['/api/node/a', '/api/node/b']) await ask(name, 'greedy');
    for (const name of ['/events1', '/events2', '/events3', '/events4', '/events5', '/other'])
      await ask(name, 'modest');
    await begin('a', 'b', 'events1', 'events2', 'events3', 'events4', 'events5', 'other');
    expect(handled).not.toContain('5');
    for (const name of ['/6', '/7', '/8']) await ask(name, 'greedy');
    // One is answered; the clients of others leave, before or after the work for them has ended.
    ends.get('2')?.();
    await begin('5');
    first.destroy();
    ends.get('1')?.();
    await begin('6');
    third.destroy();
    await begin('7');
    expect(handled).not.toContain('8');
  });
});

describe(shareConnections.name, () => {
  let management: TestManagement;
  beforeAll(async () => {
    management = await TestManagement.start({ RAMPART_API_TOKEN_DAYS: '0' });
  });
  afterAll(() => management?.close());

  it('security row 119: two admins who have begun all reads that they may have keep none from a third', async () => {
    const port = await management.listen();
    const credentials: string[] = [];
    for (const name of ['one', 'two']) {
      const login = await management.plainAdmin(name);
      const { body } = await management.call('POST', '/api/admin/tokens', { name, scope: 'read' }, login);
      credentials.push(login, Object(body).token);
    }
    const third = await management.plainAdmin('third');
    const runner = management.database.createQueryRunner();
    await runner.startTransaction();
    await runner.query('LOCK TABLE groups');
    for (const [index, credential] of credentials.entries())
      for (let count = 0; count < 3; count += 1) {
        const socket = await connect(port, `127.0.1.${index + 1}`);
        socket.resume().write(`GET /api/groups HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${credential}\r\n\r\n`);
      }
    const waiting = `SELECT count(*)::integer FROM pg_locks WHERE NOT granted AND relation = 'groups'::regclass`;
    const held = async (): Promise<number> => {
      const [row] = await runner.query(waiting);
      const queue = /requests_waiting\{queue="connections"\} (\d+)/.exec(
        await management.app.get(ProgramMetrics).text(),
      );
      return row.count + Number(queue?.[1]);
    };
    await eventually('all reads of both wait', async (saw) => saw(await held()) === 12);
    const { status } = await management.call('GET', '/api/users', undefined, third);
    await runner.rollbackTransaction();
    await runner.release();
    expect(status).toBe(200);
  });
});

describe(limitLargeBodies.name, () => {
  const handled: string[] = [];
  let server: FastifyInstance;
  let port: number;

  beforeAll(async () => {
    server = Fastify();
    limitLargeBodies(
      server,
      {
        atOnce: { all: 4, network: 1, address: Number.POSITIVE_INFINITY, credential: 1 },
        waiting: { all: 8, network: 1, address: 8 },
      },
      3_600_000,
    );
    server.setErrorHandler((error, _request, reply) => reply.status((error as ManagementError).status).send());
    server.decorateRequest('actor');
    server.addHook('onRequest', async (request) => {
      const [username = '', token] = String(request.headers['x-admin']).split(' ');
      request.actor = { username, ...(token && { apiTokenId: Number(token) }) } as Actor;
    });
    server.addContentTypeParser('text/plain', { parseAs: 'buffer' }, async () => undefined);
    server.post('/:name', async ({ params }) => {
      handled.push((params as { name: string }).name);
      return '';
    });
    const address = await server.listen({ port: 0, host: '127.0.0.1' });
    port = Number(address.split(':').at(-1));
  });
  afterAll(async () => {
    server.server.closeAllConnections();
    await server.close();
  });

  /** Sends a body of this length but for its last byte. */
  const begin = async (name: string, admin: string, length: number): Promise<net.Socket> => {
    const socket = await connect(port, '127.0.0.1');
    const head = `POST /${encodeURIComponent(name)} HTTP/1.1\r\nhost: a\r\nx-admin: ${admin}\r\ncontent-type: text/plain\r\n`;
    socket.write(`${head}content-length: ${length}\r\n\r\n${'x'.repeat(length - 1)}`);
    return socket;
  };

  it('security row 116: of one admin so many large bodies are read at a time, others wait, and those of others do not', async () => {
    const first = await begin('first', 'greedy', 100_000);
    const second = await begin('second', 'greedy', 100_000);
    second.write('x');
    const refused = await begin('third', 'greedy', 100_000);
    expect(`${(await once(refused, 'data'))[0]}`).toMatch(/^HTTP\/1\.1 503 /);
    for (const [name, admin, length] of [
      ['small', 'greedy', 1_000],
      ['other', 'modest', 100_000],
      ['of a token', 'greedy 7', 100_000],
    ] as const) {
      (await begin(name, admin, length)).write('x');
      await eventually(`${name} is handled`, (saw) => saw(handled).includes(name));
    }
    expect(handled).toEqual(['small', 'other', 'of a token']);
    first.destroy();
    await eventually('the second one is handled', (saw) => saw(handled).includes('second'));
  });
});

const connectionsOf = ({ server }: FastifyInstance): Promise<number> =>
  new Promise((resolve, reject) => server.getConnections((error, count) => (error ? reject(error) : resolve(count))));
