/**
 * A gRPC service name in the form of clients other than the engine: the name of a service whose stream is called `Tun`, or
 * a whole path when the stream has another name.
 */
export type GrpcService = { readonly name: string } | { readonly customPath: string };

/**
 * Parses a service name of the engine. A name that begins with `/` is `/service/stream` (or `/service/stream|multi` with a
 * second stream for multi mode), and the service may contain slashes; any other name is a plain service name.
 */
export function grpcService(serviceName: string): GrpcService {
  if (!serviceName.startsWith('/')) return { name: encodeURIComponent(serviceName) };
  const lastSlash = serviceName.lastIndexOf('/');
  const service = serviceName
    .slice(1, lastSlash < 1 ? undefined : lastSlash)
    .split('/')
    .map(encodeURIComponent)
    .join('/');
  const [stream = ''] = serviceName.slice(lastSlash + 1).split('|');
  return stream === 'Tun' ? { name: service } : { customPath: `/${service}/${encodeURIComponent(stream)}` };
}
