import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Program } from '../programs.js';

/** A release site on a real socket: paths with their handlers, and 404 for all others. */
export interface ReleaseServer {
  url: string;
  host: string;
  site: { downloads: string; api: string };
  routes: Map<string, RequestListener>;
  /** The paths that were requested, in order. */
  asked: string[];
  close(): Promise<void>;
}

export async function startReleaseServer(): Promise<ReleaseServer> {
  const routes = new Map<string, RequestListener>();
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    asked.push(path);
    const handler = routes.get(path);
    if (handler) handler(request, response);
    else response.writeHead(404).end('Not Found');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const url = `http://${host}`;
  return {
    url,
    host,
    site: { downloads: url, api: `${url}/api` },
    routes,
    asked,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

export function body(content: string | Buffer): RequestListener {
  return (_request, response) => response.end(content);
}

export function redirect(location: string): RequestListener {
  return (_request, response) => response.writeHead(302, { location }).end('elsewhere');
}

/** Announces a body and sends its first half; then it cuts the connection or stays silent. */
export function half(content: Buffer, then: 'cut' | 'silence'): RequestListener {
  return (_request, response) => {
    response.writeHead(200, { 'content-length': content.length });
    response.write(content.subarray(0, Math.floor(content.length / 2)), () => {
      if (then === 'cut') response.socket?.destroy();
    });
  };
}

/** Paths of a program's archive and of its sum, as on the real sites. */
export function releasePaths({ release, version }: Program): { archive: string; sum: string } {
  const archive = `/${release.repository}/releases/download/v${version}/${release.assets['linux-x64']}`;
  return {
    archive,
    sum: release.sum === 'dgst' ? `${archive}.dgst` : `/api/repos/${release.repository}/releases/tags/v${version}`,
  };
}

/** The document in which the site publishes the sum of an archive. */
export function publishedSumOf({ release }: Program, archive: Buffer): string {
  const sha256 = createHash('sha256').update(archive).digest('hex');
  const name = release.assets['linux-x64'];
  return release.sum === 'dgst'
    ? `MD5= 0123\nSHA1= 4567\nSHA2-256= ${sha256}\nSHA2-512= 89ab\n`
    : JSON.stringify({
        assets: [
          { name: 'other.txt', digest: null },
          { name, digest: `sha256:${sha256}` },
        ],
      });
}
