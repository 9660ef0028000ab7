import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { status } from '@grpc/grpc-js';
import type { Issued } from './certificates.js';
import type { ReferenceNode } from './reference-node.js';
import { ReferenceRefusal } from './reference-refusal.js';

const NO_LIMITS = { requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0 };

/** The REST service of a {@link ReferenceNode}. */
export class ReferenceRest {
  private readonly web: https.Server;

  constructor(
    private readonly node: ReferenceNode,
    certificate: Issued,
  ) {
    this.web = https.createServer({ ...certificate, ...NO_LIMITS, ALPNProtocols: [] }, (request, response) => {
      void this.serve(request, response);
    });
  }

  async listen(port: number): Promise<number> {
    this.web.listen(port, '127.0.0.1');
    await once(this.web, 'listening');
    return (this.web.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    if (!this.web.listening) return;
    this.web.closeAllConnections();
    this.web.close();
    await once(this.web, 'close');
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { node } = this;
    const key = request.headers['x-api-key']?.toString();
    const route = `${request.method} ${request.url === '/stats/' ? '/stats' : request.url}`;
    // A client that breaks off needs no answer.
    const sent = await buffer(request).catch(() => undefined);
    if (sent === undefined) return;
    try {
      node.admit(key);
      if (route === 'GET /logs') return await this.serveLog(key, response);
      if (!node.has(route)) throw this.unknown(request.url);
      const body = await node.answer({ key, route, body: sent, byGrpc: false, broken: endOf(response) });
      if (node.isLost(route)) return void request.socket.destroy();
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end(body);
    } catch (error) {
      if (!(error instanceof ReferenceRefusal)) throw error;
      const text = error.restText === '' ? '' : `${error.restText}\n`;
      response.writeHead(error.http, { 'content-type': 'text/plain; charset=utf-8' }).end(text);
    }
  }

  private unknown(url = ''): ReferenceRefusal {
    this.node.unknownCalls.push(url);
    const routes = ['GET /logs', ...Object.keys(this.node.routes)];
    const otherMethod = routes.some((known) => known.endsWith(` ${url}`));
    return otherMethod
      ? new ReferenceRefusal(405, status.UNKNOWN, '')
      : new ReferenceRefusal(404, status.UNKNOWN, '404 page not found');
  }

  private serveLog(key: string | undefined, response: ServerResponse): Promise<void> {
    return this.node.readLog(key, endOf(response), () => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' }).flushHeaders();
      return (line) => void response.write(`${line}\n`);
    });
  }
}

/** Aborts when the connection closes, which means nothing after the answer. */
function endOf(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => controller.abort());
  return controller.signal;
}
