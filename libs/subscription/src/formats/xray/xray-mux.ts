import type { ResolvedProxy } from '../../model/resolved-proxy.js';

/**
 * `mux` of an outbound. It never works on xhttp, which multiplexes itself; beside vision only UDP can take part, for
 * which the engine is told -1.
 */
export function xrayMux({ mux, protocol, transport }: ResolvedProxy): object {
  const { enabled, concurrency, xudpConcurrency, xudpProxyUDP443 } = mux.xray ?? {};
  if (!enabled || transport.type === 'xhttp') return {};
  const withVision = protocol.type === 'vless' && protocol.flow !== '';
  const own = withVision ? -1 : concurrency;
  return {
    mux: {
      enabled: true,
      ...(typeof own === 'number' && { concurrency: own }),
      ...(typeof xudpConcurrency === 'number' && { xudpConcurrency }),
      ...(xudpProxyUDP443 && { xudpProxyUDP443 }),
    },
  };
}
