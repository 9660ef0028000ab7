import { renderFormat } from '@rampart/domain';
import { selectedValues, selectRandomly } from '../compile/selection.js';
import type { CompiledHost } from '../model/compiled-host.js';
import type { ProxySecurity, ResolvedProxy, ResolvedServer } from '../model/resolved-proxy.js';
import type { SelectedProxy } from '../model/selected-proxy.js';
import { resolveTransport } from './resolve-transport.js';
import { randomSalt } from './select-proxies.js';

/** A host whose server is resolved: its own, or the one through which its download goes. */
type SelectedServer = Omit<SelectedProxy, 'name' | 'protocol'>;

/** Resolves a selected proxy to what a format writes: variables are replaced, and each list has become one value. */
export function resolveProxy(proxy: SelectedProxy): ResolvedProxy {
  const { host, name, protocol } = proxy;
  return {
    name,
    ...resolveServer(proxy),
    protocol,
    finalmask: host.inbound.finalmask,
    mux: host.mux,
    fragment: host.fragment,
    noises: host.noises,
  };
}

function resolveServer(proxy: SelectedServer): ResolvedServer {
  const { host, selection, salt, request } = proxy;
  const { values } = request;
  const selected = selectedValues(host, selection);
  const serverName = replaceAsterisks(selected.sni, salt);
  const isSniHost = host.useSniAsHost && serverName !== '';
  const target = {
    path: renderFormat(host.path, values),
    host: isSniHost ? serverName : replaceAsterisks(selected.host, salt),
    userAgent: selected.userAgent,
  };
  return {
    // IPv6 addresses may stand in brackets.
    address: replaceAsterisks(renderFormat(selected.address, values), salt).replace(/^\[(.*)\]$/, '$1'),
    port: selected.port,
    transport: resolveTransport(host, target, () => resolveDownloadServer(proxy)),
    security: resolveSecurity(host, serverName, selected.shortId),
  };
}

/**
 * The server through which the download of a proxy goes. Undefined when the proxy has none, when that host is not in the
 * snapshot or not xhttp, or when the user may not use its inbound. The download server has no download server itself.
 */
function resolveDownloadServer({ host: { transport }, snapshot, request }: SelectedServer): ResolvedServer | undefined {
  const id = transport.type === 'xhttp' ? transport.downloadHostId : undefined;
  const host = id === undefined ? undefined : snapshot.hostsById[id];
  if (host?.transport.type !== 'xhttp' || !request.inboundTags.has(host.inbound.tag)) return undefined;
  const { random } = request;
  return resolveServer({
    host: { ...host, transport: { ...host.transport, downloadHostId: undefined } },
    selection: selectRandomly(host, random),
    salt: randomSalt(random),
    snapshot,
    request,
  });
}

function resolveSecurity({ security }: CompiledHost, serverName: string, shortId: string): ProxySecurity {
  switch (security.type) {
    case 'none':
      return security;
    case 'tls':
      return { ...security, serverName };
    case 'reality': {
      const { publicKey, spiderX, mldsa65Verify } = security.reality;
      return {
        type: 'reality',
        serverName,
        fingerprint: security.fingerprint,
        publicKey,
        shortId,
        spiderX: spiderX === '' || spiderX.startsWith('/') ? spiderX : `/${spiderX}`,
        mldsa65Verify,
      };
    }
  }
}

const replaceAsterisks = (text: string, salt: () => string): string =>
  text.includes('*') ? text.replaceAll('*', salt()) : text;
