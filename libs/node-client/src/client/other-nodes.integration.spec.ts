import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import {
  type handleServerStreamingCall,
  type handleUnaryCall,
  Metadata,
  Server,
  ServerCredentials,
  status,
} from '@grpc/grpc-js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { MAX_MESSAGE_BYTES, type NodeClient, type NodeClientOptions } from '../api/node-client.js';
import { BaseInfoResponse, type Empty, type Log, NodeServiceService } from '../gen/service.js';
import { type Issued, selfSigned } from '../testing/certificates.js';
import { failureOf } from '../testing/failure.js';
import { createNodeClient } from './create-node-client.js';

const BROKEN = Buffer.from([0x12, 0xff]);

let certificate: Issued;
beforeAll(async () => {
  certificate = await selfSigned({ names: ['127.0.0.1'] });
});

const clientOf = (transport: NodeClientOptions['transport'], port: number): NodeClient =>
  createNodeClient({ transport, host: '127.0.0.1', port, apiKey: 'a-key-of-the-tests', tls: { ca: certificate.cert } });

/** Nodes of other implementations, and servers that are not nodes: their answers have no stable code. */
describe('the REST client', () => {
  let server: https.Server;
  let client: NodeClient;
  let answer: RequestListener;

  beforeAll(async () => {
    server = https.createServer(certificate, (request, response) => answer(request, response)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    client = clientOf('rest', (server.address() as AddressInfo).port);
  });
  afterAll(async () => {
    await client.close();
    server.closeAllConnections();
    server.close();
  });

  it.each([
    [500, 'backend not initialized\n', 'BACKEND_NOT_INITIALIZED', 'backend not initialized'],
    [503, 'core is not started yet\n', 'BACKEND_NOT_RUNNING', 'core is not started yet'],
    [503, 'rpc error: failed to get sys stats: x', 'ENGINE_NOT_ANSWERING', 'rpc error: failed to get sys stats: x'],
    [403, 'api key mismatch', 'UNAUTHENTICATED', 'api key mismatch'],
    [404, '404 page not found\n', 'NOT_FOUND', '404 page not found'],
    [503, '', 'UNREACHABLE', 'status 503'],
    [501, 'not implemented', 'NOT_FOUND', 'not implemented'],
    [502, '<html>', 'UNREACHABLE', '<html>'],
    [504, '<html>', 'UNREACHABLE', '<html>'],
    [400, '{"error":"no","code":"CONFIG_REFUSED"}', 'CONFIG_REFUSED', 'no'],
    [400, '{"error":7,"code":"LATER"}', 'INVALID_ARGUMENT', '{"error":7,"code":"LATER"}'],
    [301, '', 'PROTOCOL', 'status 301'],
  ])('reads %i %j as %s', async (httpStatus, body, code, message) => {
    answer = (_request, response) => response.writeHead(httpStatus).end(body);
    expect(await failureOf(client.info())).toMatchObject({ code, message, httpStatus, grpcCode: undefined });
  });

  it('refuses an answer that is not a valid message', async () => {
    answer = (_request, response) => response.end(BROKEN);
    expect(await failureOf(client.info())).toMatchObject({
      code: 'PROTOCOL',
      message: 'the answer to GetBaseInfo is not the message it should be',
    });
  });

  it('reports a broken connection', async () => {
    answer = (request) => request.socket.destroy();
    expect(await failureOf(client.info())).toMatchObject({ code: 'UNREACHABLE', retryable: true });
    answer = (_request, response) =>
      response.writeHead(200, { 'content-length': 9 }).write('', () => response.destroy());
    expect(await failureOf(client.info())).toMatchObject({ code: 'UNREACHABLE', retryable: true });
  });

  it('waits for the first line of a log however long it takes, once it is connected', async () => {
    answer = (_request, response) => setTimeout(() => response.end('late\n'), 60);
    const lines: string[] = [];
    for await (const { detail } of client.logs({ timeoutMs: 20, resume: false })) lines.push(detail);
    expect(lines).toEqual(['late']);
  });

  it('sends both API key headers, and keeps its connections', async () => {
    const seen: unknown[] = [];
    const sockets = new Set<unknown>();
    answer = (request, response) => {
      seen.push([request.headers.authorization, request.headers['x-api-key']]);
      sockets.add(request.socket);
      request.resume().once('end', () => response.end());
    };
    for (let count = 0; count < 8; count += 1) await client.stats({ name: '1.a' });
    expect(seen).toEqual(Array(8).fill(['Bearer a-key-of-the-tests', 'a-key-of-the-tests']));
    // undici may open a second connection while the first becomes idle.
    expect(sockets.size).toBeLessThanOrEqual(2);
  });

  it('sends users with different names concurrently, and users with the same name in order', async () => {
    let most = 0;
    let open = 0;
    answer = (request, response) => {
      open += 1;
      most = Math.max(most, open);
      request.resume().once('end', () =>
        setImmediate(() => {
          open -= 1;
          response.end();
        }),
      );
    };
    const user = (email: string) => ({ email, proxies: undefined, inbounds: [], revision: 0n });
    await client.syncUser(Array.from({ length: 100 }, (_, index) => user(`${index}`)));
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(8);
    most = 0;
    await client.syncUser(Array.from({ length: 20 }, () => user('one')));
    expect(most).toBe(1);
  });

  it('aborts all requests of a call when one of them fails', async () => {
    const waiting: Promise<unknown>[] = [];
    answer = (request, response) => {
      request.resume().once('end', () => {
        if (waiting.length > 0) response.writeHead(500).end('no');
        else waiting.push(once(response, 'close'));
      });
    };
    const users = ['1.a', '2.b'].map((email) => ({ email, proxies: undefined, inbounds: [], revision: 0n }));
    expect(await failureOf(client.syncUser(users))).toMatchObject({ code: 'INTERNAL', message: 'no' });
    expect(waiting).toHaveLength(1);
    await Promise.all(waiting);
  });

  it('refuses an answer above the size limit', async () => {
    answer = (_request, response) => response.end(Buffer.alloc(MAX_MESSAGE_BYTES + 1));
    expect(await failureOf(client.info())).toMatchObject({
      code: 'TOO_LARGE',
      message: 'the answer exceeds the limit of 67108864 bytes',
    });
  });

  it('sends no message above the size limit', async () => {
    const failure = await failureOf(client.start({ config: 'x'.repeat(MAX_MESSAGE_BYTES) }));
    expect(failure).toMatchObject({ code: 'TOO_LARGE', httpStatus: undefined });
    expect(failure.message).toMatch(/^a message of \d+ bytes exceeds the limit of 67108864$/);
  });
});

describe('the gRPC client', () => {
  const server = new Server();
  let client: NodeClient;
  let answer: (metadata: Metadata) => BaseInfoResponse | { code: status; details: string };

  beforeAll(async () => {
    server.addService(
      { info: NodeServiceService.getBaseInfo, logs: NodeServiceService.getLogs },
      {
        logs: ((call) => {
          setTimeout(() => {
            call.write({ detail: 'late', sequence: 0n });
            call.end();
          }, 60);
        }) satisfies handleServerStreamingCall<Empty, Log>,
        info: ((call, done) => {
          const result = answer(call.metadata);
          if ('details' in result) done({ ...result, metadata: new Metadata() });
          else done(null, result);
        }) satisfies handleUnaryCall<Empty, BaseInfoResponse>,
      },
    );
    const pair = { private_key: Buffer.from(certificate.key), cert_chain: Buffer.from(certificate.cert) };
    const port = await new Promise<number>((resolve, reject) =>
      server.bindAsync('127.0.0.1:0', ServerCredentials.createSsl(null, [pair]), (error, bound) =>
        error ? reject(error) : resolve(bound),
      ),
    );
    client = clientOf('grpc', port);
  });
  beforeEach(() => {
    answer = () => BaseInfoResponse.fromPartial({});
  });
  afterAll(async () => {
    await client.close();
    server.forceShutdown();
  });

  it.each([
    [status.UNAVAILABLE, 'backend not initialized', 'BACKEND_NOT_INITIALIZED'],
    [status.UNAVAILABLE, 'core is not started yet', 'BACKEND_NOT_RUNNING'],
    [status.PERMISSION_DENIED, 'api key mismatch', 'UNAUTHENTICATED'],
    [status.UNAVAILABLE, 'gone', 'UNREACHABLE'],
    [status.UNKNOWN, 'odd', 'PROTOCOL'],
    [status.RESOURCE_EXHAUSTED, 'large', 'TOO_LARGE'],
  ])('reads status %i "%s" as %s', async (grpcCode, details, code) => {
    answer = () => ({ code: grpcCode, details });
    expect(await failureOf(client.info())).toMatchObject({ code, message: details, grpcCode, httpStatus: undefined });
  });

  it('sends both API key headers', async () => {
    let seen: unknown;
    answer = (metadata) => {
      seen = [metadata.get('authorization'), metadata.get('x-api-key')];
      return BaseInfoResponse.fromPartial({ running: true });
    };
    expect(await client.info()).toMatchObject({ running: true });
    expect(seen).toEqual([['Bearer a-key-of-the-tests'], ['a-key-of-the-tests']]);
  });

  it('waits for the first line of a log however long it takes, once it is connected', async () => {
    await client.info();
    const lines: string[] = [];
    for await (const { detail } of client.logs({ timeoutMs: 20, resume: false })) lines.push(detail);
    expect(lines).toEqual(['late']);
  });
});
