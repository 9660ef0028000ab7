import type { ResolvedProxy } from '../../model/resolved-proxy.js';

/**
 * The member `mux` of an outbound. xhttp multiplexes itself and gets none. With vision only UDP can be multiplexed, which a
 * concurrency of -1 stands for.
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
