import type { CompiledHost } from './compile-hosts.js';
import type { Random } from './random.js';
import type { Headers, ProxyTransport, ResolvedServer, XhttpTransport } from './resolved-proxy.js';
import { randomBrowser, randomGrpcLibrary } from './user-agents.js';

/** Transport of one request: what is the same for all users, with the path, host and headers of this one. */
export function resolveTransport(
  { transport, headers, randomUserAgent }: CompiledHost,
  { path, host }: { readonly path: string; readonly host: string },
  random: Random,
  download: () => ResolvedServer | undefined,
): ProxyTransport {
  const target = (agent = randomBrowser) => ({
    path,
    host,
    headers: randomUserAgent ? named(headers, agent(random)) : headers,
  });
  switch (transport.type) {
    case 'tcp':
      return { type: 'tcp' };
    case 'kcp':
      return transport;
    case 'tcp-http':
    case 'ws':
      return { ...transport, ...target() };
    case 'httpupgrade':
      return { type: 'httpupgrade', ...target() };
    case 'grpc': {
      const userAgent = randomUserAgent ? randomGrpcLibrary(random) : (userAgentOf(headers) ?? '');
      return { ...transport, serviceName: path, authority: host, userAgent };
    }
    case 'xhttp': {
      const { type, mode, extra } = transport;
      return {
        type,
        mode,
        extra,
        ...target(looksLikeGrpc(mode, extra) ? randomGrpcLibrary : randomBrowser),
        download: onlyXhttp(download()),
      };
    }
  }
}

/** Streams upwards name themselves gRPC unless they are told not to. */
const looksLikeGrpc = (mode: string, extra: XhttpTransport['extra']): boolean =>
  (mode === 'stream-up' || mode === 'stream-one') && extra['noGRPCHeader'] !== true;

function onlyXhttp(server: ResolvedServer | undefined): XhttpTransport['download'] {
  return server?.transport.type === 'xhttp' ? { ...server, transport: server.transport } : undefined;
}

const userAgentOf = (headers: Headers): string | undefined =>
  Object.entries(headers).find(([name]) => name.toLowerCase() === 'user-agent')?.[1];

/** The random name stands in place of a given one. */
function named(headers: Headers, userAgent: string): Headers {
  const others = Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'user-agent');
  return { ...Object.fromEntries(others), 'User-Agent': userAgent };
}
