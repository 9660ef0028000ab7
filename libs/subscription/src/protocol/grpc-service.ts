/** How clients other than the engine write a service name: its stream is called `Tun`, or has a name of its own. */
export type GrpcService = { readonly name: string } | { readonly customPath: string };

/**
 * The engine takes a name as it is, or with a `/` in front as `/service/stream` (for multi mode `/service/stream|multi`)
 * in which the slashes belong to the path.
 */
export function grpcService(serviceName: string): GrpcService {
  if (!serviceName.startsWith('/')) return { name: encodeURIComponent(serviceName) };
  const cut = serviceName.lastIndexOf('/');
  const service = serviceName
    .slice(1, cut < 1 ? undefined : cut)
    .split('/')
    .map(encodeURIComponent)
    .join('/');
  const [stream = ''] = serviceName.slice(cut + 1).split('|');
  return stream === 'Tun' ? { name: service } : { customPath: `/${service}/${encodeURIComponent(stream)}` };
}
