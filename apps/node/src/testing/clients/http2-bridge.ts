import { once } from 'node:events';
import http2 from 'node:http2';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import type { RunningNode } from '../nodes/running-node.js';
import { connectHttp2 } from './https.js';

/** Translates HTTP/1.1 requests to HTTP/2 for a node: one connection, with a stream for each request. */
export class Http2Bridge {
  private constructor(
    private readonly session: http2.ClientHttp2Session,
    private readonly server: https.Server,
  ) {}

  static async open(node: RunningNode): Promise<Http2Bridge> {
    const session = connectHttp2(node);
    await once(session, 'connect');
    const { cert, key } = node.certificate;
    const server = https.createServer({ cert, key }, (request, response) => {
      const { host: _host, connection: _connection, 'transfer-encoding': _encoding, ...headers } = request.headers;
      const target = { ':method': request.method, ':path': request.url, ...headers };
      const stream = session.request(target, { endStream: false });
      stream.once('response', ({ ':status': status = 0, ...answered }) => {
        response.writeHead(status, answered as NodeJS.Dict<string>);
        stream.pipe(response);
      });
      stream.once('error', () => response.destroy());
      response.once('close', () => stream.close(http2.constants.NGHTTP2_CANCEL));
      request.once('error', () => undefined).pipe(stream);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return new Http2Bridge(session, server);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    this.session.destroy();
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
