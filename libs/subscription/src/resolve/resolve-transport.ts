import type { CompiledHost } from '../model/compiled-host.js';
import type { Headers, ProxyTransport, ResolvedServer, XhttpTransport } from '../model/resolved-proxy.js';

/** Path, `Host` header and `User-Agent` of one request. */
interface RequestHead {
  readonly path: string;
  readonly host: string;
  /** Undefined: the client sends its own `User-Agent`. */
  readonly userAgent: string | undefined;
}

/**
 * The transport of one proxy: the compiled transport of its host, completed with path, host and headers.
 *
 * @param download resolves the server through which the download goes; called for xhttp only.
 */
export function resolveTransport(
  { transport, headers: hostHeaders }: CompiledHost,
  { path, host, userAgent }: RequestHead,
  download: () => ResolvedServer | undefined,
): ProxyTransport {
  const headers = userAgent === undefined ? hostHeaders : withUserAgent(hostHeaders, userAgent);
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
      return { type, mode, extra, path, host, headers, download: xhttpServer(download()) };
    }
  }
}

function xhttpServer(server: ResolvedServer | undefined): XhttpTransport['download'] {
  return server?.transport.type === 'xhttp' ? { ...server, transport: server.transport } : undefined;
}

const userAgentOf = (headers: Headers): string | undefined =>
  Object.entries(headers).find(([name]) => name.toLowerCase() === 'user-agent')?.[1];

/** The headers with another `User-Agent`, which replaces the one of the host. */
function withUserAgent(headers: Headers, userAgent: string): Headers {
  const others = Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'user-agent');
  return { ...Object.fromEntries(others), 'User-Agent': userAgent };
}
