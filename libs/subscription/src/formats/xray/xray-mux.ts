import { carriesUdp, type ResolvedProxy } from '../../model/resolved-proxy.js';

/** TCP connections stay as they are, and UDP shares connections of TCP: 16 of its sessions each. */
const UDP_ALONE = { enabled: true, concurrency: -1, xudpConcurrency: 16 };

/**
 * The member `mux` of an outbound. xhttp multiplexes itself and gets none. With vision only UDP can be multiplexed, which a
 * concurrency of -1 stands for. A server that takes no UDP takes it in multiplexed connections.
 */
export function xrayMux({ mux, protocol, transport }: ResolvedProxy): object {
  const { enabled, concurrency, xudpConcurrency, xudpProxyUDP443 } = mux.xray ?? {};
  if (transport.type === 'xhttp') return {};
  if (!enabled) return carriesUdp(protocol) ? {} : { mux: UDP_ALONE };
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
