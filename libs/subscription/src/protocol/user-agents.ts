import type { CompiledTransport } from '../model/compiled-host.js';

/** `User-Agent` values of current browsers. */
const BROWSERS = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:144.0) Gecko/20100101 Firefox/144.0',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:144.0) Gecko/20100101 Firefox/144.0',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1',
];

/** `User-Agent` values of current gRPC libraries. */
const GRPC_LIBRARIES = [
  'grpc-go/1.76.0',
  'grpc-java-okhttp/1.76.0',
  'grpc-node-js/1.14.1',
  'grpc-python/1.76.0 grpc-c/50.0.0',
];

/** The `User-Agent` values that requests of a transport may plausibly carry; empty for transports without HTTP requests. */
export function userAgentsOf(transport: CompiledTransport): readonly string[] {
  switch (transport.type) {
    case 'tcp':
    case 'kcp':
      return [];
    case 'grpc':
      return GRPC_LIBRARIES;
    case 'xhttp':
      return looksLikeGrpc(transport) ? GRPC_LIBRARIES : BROWSERS;
    default:
      return BROWSERS;
  }
}

/** Whether an xhttp upload stream pretends to be gRPC, as it does unless `noGRPCHeader` is set. */
const looksLikeGrpc = ({ mode, extra }: Extract<CompiledTransport, { type: 'xhttp' }>): boolean =>
  (mode === 'stream-up' || mode === 'stream-one') && extra['noGRPCHeader'] !== true;
