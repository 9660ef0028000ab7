import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import http2 from 'node:http2';
import https, { type RequestOptions } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { API_KEY, type RunningNode } from '../nodes/running-node.js';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export const KEY = { authorization: `Bearer ${API_KEY}` };

/** Makes one HTTP/1.1 request and resolves when the response headers have come. */
export async function open(
  node: RunningNode,
  method: string,
  path: string,
  { headers = KEY, body, ...options }: RequestOptions & { body?: Uint8Array } = {},
): Promise<IncomingMessage> {
  const length = body ? { 'content-length': body.length } : {};
  const request = https.request({
    host: '127.0.0.1',
    port: node.port,
    ca: node.certificate.cert,
    method,
    path,
    headers: { ...length, ...headers },
    agent: false,
    ...options,
  });
  request.end(body);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response;
}

export async function send(...args: Parameters<typeof open>): Promise<Answer> {
  const response = await open(...args);
  return { status: response.statusCode ?? 0, headers: response.headers, body: await buffer(response) };
}

export const connectHttp2 = (node: RunningNode): http2.ClientHttp2Session =>
  http2.connect(`https://127.0.0.1:${node.port}`, { ca: node.certificate.cert });

/** Makes one request on an HTTP/2 connection. */
export async function sendHttp2(
  session: http2.ClientHttp2Session,
  headers: http2.OutgoingHttpHeaders,
  body?: Uint8Array,
): Promise<Answer> {
  const stream = session.request(headers, { endStream: body === undefined });
  if (body) stream.end(body);
  const [answered] = (await once(stream, 'response')) as [http2.IncomingHttpHeaders & http2.IncomingHttpStatusHeader];
  const trailers: IncomingHttpHeaders = {};
  stream.once('trailers', (received) => Object.assign(trailers, received));
  const content = await buffer(stream);
  return { status: answered[':status'] ?? 0, headers: { ...answered, ...trailers }, body: content };
}
