import type { IncomingMessage } from 'node:http';
import tls from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { eventually } from '@rampart/testing';
import { NodeError } from '../../errors/node-error.js';
import { KEY, open, send } from '../../testing/clients/https.js';
import { lines, NodeDouble, untilAborted } from '../../testing/nodes/node-double.js';
import { API_KEY, RunningNode } from '../../testing/nodes/running-node.js';

const BARE = { 'x-api-key': API_KEY };

describe('GET /logs', () => {
  const service = new NodeDouble();
  let node: RunningNode;

  beforeAll(async () => {
    node = await RunningNode.open({ service });
  });
  beforeEach(() => service.reset());
  afterAll(() => node.close());

  /** Reads until the text has the expected end, then disconnects. */
  async function readUntil(response: IncomingMessage, end: string): Promise<string> {
    let text = '';
    for await (const chunk of response) {
      text += chunk;
      if (text.endsWith(end)) return text;
    }
    throw new Error(`the stream ended: ${text}`);
  }

  it.each([
    ['Bearer', KEY],
    ['x-api-key that asks for events', { ...BARE, accept: 'text/event-stream' }],
    ['both headers', { ...KEY, ...BARE }],
  ])('sends events to a caller with %s', async (_name, headers) => {
    service.log = lines(2);
    const response = await open(node, 'GET', '/logs', { headers });
    expect(response.statusCode).toBe(200);
    expect(response.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
    });
    const expected = ': open\n\nid: 1\ndata: line 1\n\nid: 2\ndata: line 2\n\n';
    expect(await readUntil(response, 'line 2\n\n')).toBe(expected);
    expect(service.quietMs).toBe(15_000);
    await eventually('the reader is gone', (saw) => saw(service.readers) === 0);
  });

  it('sends plain lines to a caller with only x-api-key', async () => {
    service.log = lines(2);
    const response = await open(node, 'GET', '/logs', { headers: { ...BARE, accept: '*/*' } });
    expect(await readUntil(response, 'line 2\n')).toBe('\nline 1\nline 2\n');
  });

  it('continues after the last event that the caller has received', async () => {
    service.log = lines(9);
    const response = await open(node, 'GET', '/logs', { headers: { ...KEY, 'last-event-id': '7' } });
    expect(await readUntil(response, 'line 9\n\n')).toBe(': open\n\nid: 8\ndata: line 8\n\nid: 9\ndata: line 9\n\n');
    expect(service.calls).toEqual([{ name: 'logs', input: 7n }]);
  });

  it.each(['seven', '-1', '1.5', '9'.repeat(20)])('refuses the event id %s', async (id) => {
    const { status, body } = await send(node, 'GET', '/logs', { headers: { ...KEY, 'last-event-id': id } });
    expect(status).toBe(400);
    expect(JSON.parse(body.toString())).toEqual({
      error: 'Last-Event-ID must be the id of a log event',
      code: 'INVALID_ARGUMENT',
    });
    expect(service.calls).toEqual([]);
  });

  it('answers an error before the stream opens', async () => {
    service.error = new NodeError('TOO_MANY_READERS', 'too many');
    const { status, body } = await send(node, 'GET', '/logs');
    expect(status).toBe(429);
    expect(JSON.parse(body.toString())).toEqual({ error: 'too many', code: 'TOO_MANY_READERS' });
  });

  it('holds no reader for a caller that left before the node could answer', async () => {
    let answer: (() => void) | undefined;
    service.answerAfter = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const signals: AbortSignal[] = [];
    service.log = (after, signal) => {
      signals.push(signal);
      return untilAborted(after, signal);
    };
    const leave = new AbortController();
    const call = open(node, 'GET', '/logs', { signal: leave.signal });
    await eventually('the call has come', (saw) => saw(service.calls).length === 1);
    leave.abort();
    await expect(call).rejects.toThrow();
    answer?.();
    await eventually('it is found gone', (saw) => signals[0]?.aborted && saw(service.readers) === 0);
    expect(await send(node, 'GET', '/info')).toMatchObject({ status: 200 });
  });

  describe('a caller that disconnects', () => {
    const LEVELS = ['fatal', 'error', 'warn'] as const;
    let told: unknown[];
    beforeEach(() => {
      told = [];
      for (const level of LEVELS) {
        jest.spyOn(Logger.prototype, level).mockImplementation((...line: unknown[]) => {
          // The summary of refused calls of the tests before may come a minute later.
          if (!/were refused in the last minute$/.test(String(line[0]))) told.push([level, ...line]);
        });
      }
    });
    afterEach(() => {
      jest.restoreAllMocks();
    });

    const isOver = () => eventually('every connection is closed', async (saw) => saw(await openSockets()) === 0);
    const openSockets = (): Promise<number> =>
      new Promise((resolve, reject) =>
        node.app
          .getHttpServer()
          .getConnections((error: Error | null, count: number) => (error ? reject(error) : resolve(count))),
      );
    const begun = (requests: string): Promise<tls.TLSSocket> =>
      new Promise((resolve) => {
        const socket = tls.connect({ host: '127.0.0.1', port: node.port, ca: node.certificate.cert });
        socket.on('error', () => undefined).write(requests, () => resolve(socket));
      });
    const request = (line: string, ...rest: string[]) =>
      [`${line} HTTP/1.1`, 'host: a', `x-api-key: ${API_KEY}`, ...rest].join('\r\n');

    it.each([
      ['a body', request('GET /logs', 'content-length: 1', '', 'x')],
      ['no body', request('GET /logs', '', '')],
    ])('a disconnect before the log stream begins logs no error: with %s', async (_, text) => {
      let answer: (() => void) | undefined;
      service.answerAfter = new Promise<void>((resolve) => {
        answer = resolve;
      });
      const signals: AbortSignal[] = [];
      service.log = (after, signal) => {
        signals.push(signal);
        return untilAborted(after, signal);
      };
      const socket = await begun(text);
      await eventually('the call has come', (saw) => saw(service.calls).length === 1);
      socket.destroy();
      await isOver();
      answer?.();
      await eventually('it is found gone', () => signals[0]?.aborted);
      expect(await send(node, 'GET', '/info')).toMatchObject({ status: 200 });
      expect(told).toEqual([]);
    });

    it('a disconnect during the log stream logs no error', async () => {
      const response = await open(node, 'GET', '/logs');
      response.destroy();
      await eventually('the reader is gone', (saw) => saw(service.readers) === 0);
      await isOver();
      expect(told).toEqual([]);
    });

    it.each([
      ['plain', request('POST /start', 'content-length: 100', '', 'half')],
      ['packed', request('POST /start', 'content-encoding: gzip', 'content-length: 100', '', '\x1f')],
      ['in chunks', request('PUT /users/sync/chunked', 'transfer-encoding: chunked', '', 'ff', 'half')],
      [
        'in chunks, packed',
        request('POST /start', 'content-encoding: gzip', 'transfer-encoding: chunked', '', 'ff', '\x1f'),
      ],
      ['that waits to be asked for', request('POST /start', 'expect: 100-continue', 'content-length: 100', '', '')],
    ])('a disconnect in the middle of a body logs no error: %s', async (_, text) => {
      const socket = await begun(text);
      await eventually('the connection is open', async (saw) => saw(await openSockets()) === 1);
      socket.destroy();
      await isOver();
      expect(await send(node, 'GET', '/info')).toMatchObject({ status: 200 });
      expect(told).toEqual([]);
    });

    it('a disconnect releases requests that wait on the same connection', async () => {
      const signals: AbortSignal[] = [];
      service.log = (after, signal) => {
        signals.push(signal);
        return untilAborted(after, signal);
      };
      const socket = await begun(request('GET /logs', '', '').repeat(20));
      await eventually('all have come', (saw) => saw(signals).length === 20);
      socket.destroy();
      await eventually(
        'all are found gone',
        (saw) => saw(signals).every(({ aborted }) => aborted) && saw(service.readers) === 0,
      );
      expect(told).toEqual([]);
    });
  });

  it('is read no faster than the caller reads, and ends with the caller', async () => {
    let given = 0;
    service.log = lines(100_000, (sequence) => {
      given += 1;
      return `${sequence} ${'x'.repeat(1_000)}`;
    });
    const response = await open(node, 'GET', '/logs');
    let seen = -1;
    let since = Date.now();
    await eventually('the stream rests', () => {
      if (given !== seen) [seen, since] = [given, Date.now()];
      return Date.now() - since > 200;
    });
    expect(seen).toBeLessThan(20_000);
    response.destroy();
    await eventually('the reader is gone', (saw) => saw(service.readers) === 0);
  });
});
