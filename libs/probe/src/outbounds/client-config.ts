/**
 * The configuration of a client engine that sends everything to a proxy, and takes requests as an HTTP proxy on a unix
 * socket.
 *
 * @param outbounds pinned: no name is left in them
 */
export function clientConfig(outbounds: readonly object[], socketPath: string): string {
  return JSON.stringify({
    log: { loglevel: 'info' },
    // Nothing is to be looked up: a name that is left would reach nobody.
    dns: { servers: [{ address: 'tcp+local://127.0.0.1:1', skipFallback: true }] },
    inbounds: [{ tag: 'probe', listen: socketPath, protocol: 'http', settings: {} }],
    outbounds,
  });
}
