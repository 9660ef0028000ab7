/** The id of the core that the first start creates, and that cannot be deleted. Ids of other cores begin after it. */
export const DEFAULT_CORE_ID = 1;

/**
 * The default core: Shadowsocks with credentials of the users. It takes no UDP, of which strangers could send packets that the
 * engine tries all users for. Private addresses are listed, because no geo files are assumed.
 */
export const DEFAULT_CORE = {
  name: 'Default Core Config',
  config: {
    log: { loglevel: 'warning' },
    inbounds: [
      {
        tag: 'Shadowsocks TCP',
        listen: '0.0.0.0',
        port: 1080,
        protocol: 'shadowsocks',
        settings: { clients: [], network: 'tcp' },
      },
    ],
    outbounds: [
      { protocol: 'freedom', tag: 'DIRECT' },
      { protocol: 'blackhole', tag: 'BLOCK' },
    ],
    routing: {
      rules: [
        {
          type: 'field',
          ip: [
            '0.0.0.0/8',
            '10.0.0.0/8',
            '100.64.0.0/10',
            '127.0.0.0/8',
            '169.254.0.0/16',
            '172.16.0.0/12',
            '192.168.0.0/16',
            '::1/128',
            'fc00::/7',
            'fe80::/10',
          ],
          outboundTag: 'BLOCK',
        },
      ],
    },
  },
  excludeInboundTags: [],
  fallbacksInboundTags: [],
  privateNetworks: [],
};
