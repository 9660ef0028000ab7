/** Builds a client configuration from a `vless://` link over raw and REALITY, independently of the code under test. */
export function configFromVlessLink(link: string): Record<string, unknown> {
  const url = new URL(link);
  const query = url.searchParams;
  return {
    log: { loglevel: 'warning' },
    inbounds: [{ protocol: 'http', listen: '127.0.0.1', port: 10809 }],
    outbounds: [
      {
        protocol: 'vless',
        settings: {
          vnext: [
            {
              address: url.hostname.replace(/^\[|\]$/g, ''),
              port: Number(url.port),
              users: [
                {
                  id: decodeURIComponent(url.username),
                  flow: query.get('flow') ?? '',
                  encryption: query.get('encryption'),
                },
              ],
            },
          ],
        },
        streamSettings: {
          network: query.get('type'),
          security: query.get('security'),
          realitySettings: {
            serverName: query.get('sni'),
            fingerprint: query.get('fp'),
            publicKey: query.get('pbk'),
            shortId: query.get('sid') ?? '',
            spiderX: query.get('spx') ?? '',
          },
        },
      },
    ],
  };
}
