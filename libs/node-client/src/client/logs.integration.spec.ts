import { once } from 'node:events';
import http2, { type ServerHttp2Stream } from 'node:http2';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { NodeClient } from '../api/node-client.js';
import { BaseInfoResponse, Log, NodeServiceService as rpc } from '../gen/service.js';
import { type Issued, selfSigned } from '../testing/certificates.js';
import { failureOf } from '../testing/failure.js';
import { createNodeClient } from './create-node-client.js';

interface LogCall {
  /** The `last-event-id` that the reader has sent. */
  readonly after: string | undefined;
  /** Writes one line; false when the buffer of the connection is full. */
  write(line: Log): boolean;
  onDrain(more: () => void): void;
  end(): void;
  breakConnection(): void;
}

let certificate: Issued;
beforeAll(async () => {
  certificate = await selfSigned({ names: ['127.0.0.1'] });
});

/** Logs of a plain server, which closes its connections on command and records what it writes. */
describe.each(['grpc', 'rest'] as const)('the log over %s', (transport) => {
  let server: https.Server | http2.Http2SecureServer;
  let client: NodeClient;
  let bootId: string;
  let onLogs: (call: LogCall) => void;
  let sockets: Set<Socket>;

  beforeEach(async () => {
    bootId = 'first life';
    sockets = new Set();
    server = transport === 'grpc' ? overHttp2() : overHttps();
    server.on('secureConnection', (socket: Socket) => sockets.add(socket.on('error', () => undefined)));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const tls = { ca: certificate.cert };
    client = createNodeClient({
      transport,
      host: '127.0.0.1',
      port,
      apiKey: 'a-key-of-the-tests',
      tls,
      timeoutMs: 5_000,
    });
  });
  afterEach(async () => {
    await client.close();
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });

  const info = (): Uint8Array => BaseInfoResponse.encode(BaseInfoResponse.fromPartial({ bootId })).finish();

  function overHttps(): https.Server {
    return https.createServer(certificate, (request, response) => {
      if (request.url === '/info') {
        response.end(info());
        return;
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      onLogs({
        after: request.headers['last-event-id']?.toString(),
        write: ({ sequence, detail }) => response.write(`id: ${sequence}\ndata: ${detail}\n\n`),
        onDrain: (more) => response.on('drain', more),
        end: () => response.end(),
        breakConnection: () => request.socket.destroy(),
      });
    });
  }

  function overHttp2(): http2.Http2SecureServer {
    const h2 = http2.createSecureServer(certificate);
    return h2.on('stream', (stream: ServerHttp2Stream, headers) => {
      stream.on('error', () => undefined);
      const trailers = (): void => stream.sendTrailers({ 'grpc-status': '0' });
      stream.respond({ ':status': 200, 'content-type': 'application/grpc+proto' }, { waitForTrailers: true });
      stream.once('wantTrailers', trailers);
      if (headers[':path'] === rpc.getBaseInfo.path) {
        stream.end(framed(info()));
        return;
      }
      onLogs({
        after: headers['last-event-id']?.toString(),
        write: (line) => stream.write(framed(Log.encode(line).finish())),
        onDrain: (more) => stream.on('drain', more),
        end: () => stream.end(),
        breakConnection: () => stream.session?.destroy(),
      });
    });
  }

  const lines = (from: number, to: number): Log[] =>
    Array.from({ length: to - from + 1 }, (_, index) => ({
      detail: `line ${from + index}`,
      sequence: BigInt(from + index),
    }));

  /** Reads a number of lines, then leaves the loop. */
  async function read(count: number, options: Parameters<NodeClient['logs']>[0] = {}): Promise<Log[]> {
    const seen: Log[] = [];
    for await (const line of client.logs(options)) if (seen.push(line) === count) break;
    return seen;
  }

  it('security row 39: a log of many short lines lets others work', async () => {
    const LINES = 5_000;
    onLogs = ({ write }) => {
      for (const line of lines(1, LINES)) write(line);
    };
    let count = 0;
    let most = 0;
    let isRead = false;
    const turn = (): void => {
      most = Math.max(most, count);
      count = 0;
      if (!isRead) setImmediate(turn);
    };
    setImmediate(turn);
    let seen = 0;
    for await (const _line of client.logs()) {
      count += 1;
      seen += 1;
      if (seen === LINES) break;
    }
    isRead = true;
    expect(seen).toBe(LINES);
    // Fifty, and those of a turn that had begun.
    expect(most).toBeLessThanOrEqual(100);
  });

  it('a log continues after its last line when the connection breaks', async () => {
    const places: unknown[] = [];
    onLogs = ({ after, write, breakConnection }) => {
      places.push(after);
      const next = Number(after ?? 0) + 1;
      for (const line of lines(next, next + 1)) write(line);
      setTimeout(breakConnection, 20);
    };
    expect(await read(5)).toEqual(lines(1, 5));
    expect(places).toEqual([undefined, '2', '4']);
  });

  it('a log continues when the node ends it', async () => {
    onLogs = ({ after, write, end }) => {
      for (const line of after === undefined ? lines(1, 2) : lines(3, 3)) write(line);
      end();
    };
    expect(await read(3)).toEqual(lines(1, 3));
  });

  it('a log begins with the first line after a restart of the node', async () => {
    const places: unknown[] = [];
    onLogs = ({ after, write, breakConnection }) => {
      places.push(after);
      for (const line of lines(1, 3)) write(line);
      bootId = 'second life';
      setTimeout(breakConnection, 20);
    };
    expect(await read(6)).toEqual([...lines(1, 3), ...lines(1, 3)]);
    expect(places).toEqual([undefined, undefined]);
  });

  it('a log shows how many lines the node could not keep', async () => {
    const dropped: Log = { detail: '7 lines dropped', sequence: 9n };
    onLogs = ({ after, write, breakConnection }) => {
      for (const line of after === undefined ? lines(1, 2) : [dropped, ...lines(10, 10)]) write(line);
      if (after === undefined) setTimeout(breakConnection, 20);
    };
    expect(await read(4)).toEqual([...lines(1, 2), dropped, ...lines(10, 10)]);
  });

  it('a log begins after the given sequence', async () => {
    onLogs = ({ after, write }) => write({ detail: `after ${after}`, sequence: 8n });
    expect(await read(1, { after: 7n })).toEqual([{ detail: 'after 7', sequence: 8n }]);
  });

  it('a log that must not resume ends with its connection', async () => {
    onLogs = ({ write, breakConnection }) => {
      write({ detail: 'only', sequence: 1n });
      setTimeout(breakConnection, 20);
    };
    expect(await failureOf(read(2, { resume: false }))).toMatchObject({ code: 'UNREACHABLE' });
    onLogs = ({ write, end }) => {
      write({ detail: 'only', sequence: 1n });
      end();
    };
    expect(await read(2, { resume: false })).toEqual([{ detail: 'only', sequence: 1n }]);
  });

  it('a log ends without an error when its signal aborts during a reconnect', async () => {
    const leave = new AbortController();
    onLogs = ({ breakConnection }) => {
      setTimeout(() => leave.abort(), 50);
      setTimeout(breakConnection, 20);
    };
    expect(await read(1, { signal: leave.signal })).toEqual([]);
  });

  it('a log is read no faster than the loop takes its lines', async () => {
    const LINES = 1_024;
    const detail = 'x'.repeat(64 * 1_024);
    let written = 0;
    onLogs = ({ write, onDrain }) => {
      const fill = (): void => {
        while (written < LINES) {
          written += 1;
          if (!write({ detail, sequence: BigInt(written) })) return;
        }
      };
      onDrain(fill);
      fill();
    };
    const log = client.logs()[Symbol.asyncIterator]();
    expect((await log.next()).value?.sequence).toBe(1n);
    let seen = 0;
    await new Promise<void>((resolve) => {
      const timer = setInterval(() => {
        if (written === seen) resolve(clearInterval(timer));
        seen = written;
      }, 200);
    });
    // Of the 64 MiB, only the buffers of the connection leave the server before the reader asks for more.
    expect(written).toBeLessThan(LINES / 2);
    for (let sequence = 2n; sequence <= LINES; sequence += 1n) {
      expect((await log.next()).value?.sequence).toBe(sequence);
    }
    await log.return?.();
  });
});

function framed(message: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}
