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
  const headersOf = (agent = randomBrowser) => (randomUserAgent ? named(headers, agent(random)) : headers);
  switch (transport.type) {
    case 'tcp':
      return { type: 'tcp' };
    case 'kcp':
      return transport;
    case 'tcp-http': {
      const { type, method, version, headerLists, response } = transport;
      return { type, method, version, path, host, headers: headersOf(), headerLists, response };
    }
    case 'ws':
      return { type: 'ws', heartbeatPeriod: transport.heartbeatPeriod, path, host, headers: headersOf() };
    case 'httpupgrade':
      return { type: 'httpupgrade', path, host, headers: headersOf() };
    case 'grpc': {
      const userAgent = randomUserAgent ? randomGrpcLibrary(random) : (userAgentOf(headers) ?? '');
      const { type, multiMode, keepAlive } = transport;
      return { type, serviceName: path, authority: host, multiMode, userAgent, keepAlive };
    }
    case 'xhttp': {
      const { type, mode, extra } = transport;
      const agent = looksLikeGrpc(mode, extra) ? randomGrpcLibrary : randomBrowser;
      return { type, mode, extra, path, host, headers: headersOf(agent), download: onlyXhttp(download()) };
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
