import type { CompiledHost } from '../compile/compile-hosts.js';
import type { Headers, ProxyTransport, ResolvedServer, XhttpTransport } from '../model/resolved-proxy.js';

/** Where a request goes, and as whom it names itself; undefined: as it would anyway. */
interface Target {
  readonly path: string;
  readonly host: string;
  readonly userAgent: string | undefined;
}

/** Transport of one request: what is the same for all users, with the path, host and headers of this one. */
export function resolveTransport(
  { transport, headers: given }: CompiledHost,
  { path, host, userAgent }: Target,
  download: () => ResolvedServer | undefined,
): ProxyTransport {
  const headers = userAgent === undefined ? given : named(given, userAgent);
  switch (transport.type) {
    case 'tcp':
      return { type: 'tcp' };
    case 'kcp':
      return transport;
    case 'tcp-http': {
      const { type, method, version, headerLists, response } = transport;
      return { type, method, version, path, host, headers, headerLists, response };
    }
    case 'ws':
      return { type: 'ws', heartbeatPeriod: transport.heartbeatPeriod, path, host, headers };
    case 'httpupgrade':
      return { type: 'httpupgrade', path, host, headers };
    case 'grpc': {
      const { type, multiMode, keepAlive } = transport;
      return {
        type,
        serviceName: path,
        authority: host,
        multiMode,
        userAgent: userAgentOf(headers) ?? '',
        keepAlive,
      };
    }
    case 'xhttp': {
      const { type, mode, extra } = transport;
      return { type, mode, extra, path, host, headers, download: onlyXhttp(download()) };
    }
  }
}

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
