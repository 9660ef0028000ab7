// The data of a typical seller of proxy access. It is the same in every run, except for the keys.
import { generateKeyPairSync, randomBytes } from 'node:crypto';

const GIB = 1024 ** 3;
const DAY = 86_400;

/** Admins who own users; the calling sudo admin owns the rest. */
export const SELLERS = ['seller-reza', 'seller-olga', 'seller-chen'];

export const CORE = 'Seed';

/** Name of each group → tags of the inbounds that its users may use. */
export const GROUPS = {
  basic: ['seed vless ws', 'seed shadowsocks'],
  premium: ['seed vless reality', 'seed vless ws', 'seed trojan grpc', 'seed shadowsocks'],
  family: ['seed vless reality', 'seed vless ws'],
  trial: ['seed vless ws'],
  staff: ['seed vless reality', 'seed vmess httpupgrade', 'seed trojan grpc'],
};

/** Remark, inbound tag, address and further settings of each host. */
export const HOSTS = [
  ['🇩🇪 Frankfurt {USERNAME}', 'seed vless reality', ['de1.example.com', 'de2.example.com']],
  ['🇳🇱 Amsterdam ({PROTOCOL})', 'seed vless ws', ['nl.example.com'], { path: '/nl' }],
  ['🇫🇮 Helsinki {DATA_LEFT}', 'seed shadowsocks', ['fi.example.com']],
  ['🇹🇷 İstanbul {TIME_LEFT}', 'seed trojan grpc', ['tr.example.com'], { sni: ['tr.example.com'] }],
  ['🇸🇬 新加坡 {STATUS_EMOJI}', 'seed vmess httpupgrade', ['sg.example.com']],
  ['🇩🇪 فرانکفورت', 'seed vless ws', ['*.cdn.example.com'], { priority: 9, is_disabled: true }],
];

/** Templates, each with its share of all users. */
export const TEMPLATES = [
  { share: 40, name: 'Monthly 50 GB', groups: ['basic'], data_limit: 50 * GIB, expire_duration: 30 * DAY },
  { share: 20, name: 'Quarterly 200 GB', groups: ['premium'], data_limit: 200 * GIB, expire_duration: 90 * DAY },
  { share: 10, name: 'Yearly unlimited', groups: ['premium', 'family'], data_limit: 0, expire_duration: 365 * DAY },
  {
    share: 10,
    name: 'Monthly reset',
    groups: ['family'],
    data_limit: 100 * GIB,
    expire_duration: 180 * DAY,
    data_limit_reset_strategy: 'month',
  },
  {
    share: 10,
    name: 'Gift card',
    groups: ['basic'],
    data_limit: 30 * GIB,
    expire_duration: 30 * DAY,
    status: 'on_hold',
    on_hold_timeout: 365 * DAY,
  },
  { share: 9, name: 'Trial', groups: ['trial'], data_limit: 2 * GIB, expire_duration: 3 * DAY },
  { share: 1, name: 'Staff', groups: ['staff'], data_limit: 0, expire_duration: 0 },
];

export const NAMES = ['ali', 'sara', 'reza', 'maryam', 'ivan', 'olga', 'chen', 'mei', 'john', 'emma', 'noor', 'can'];

export const NOTES = [
  'paid in cash',
  'friend of a friend',
  'office, third floor',
  'Иван Петров',
  'کاربر ویژه',
  '试用一周',
];

/** An engine configuration with the usual protocols and transports, and newly generated keys. */
export function seedCore() {
  const { privateKey } = generateKeyPairSync('x25519');
  const inbound = (tag, port, protocol, settings, streamSettings) => ({
    tag: `seed ${tag}`,
    listen: '0.0.0.0',
    port,
    protocol,
    settings: { ...settings, clients: [] },
    ...(streamSettings && { streamSettings }),
  });
  return {
    log: { loglevel: 'warning', access: 'none' },
    inbounds: [
      inbound(
        'vless reality',
        20443,
        'vless',
        { decryption: 'none' },
        {
          network: 'tcp',
          security: 'reality',
          realitySettings: {
            target: 'www.example.com:443',
            serverNames: ['www.example.com'],
            privateKey: privateKey.export({ format: 'jwk' }).d,
            shortIds: [randomBytes(8).toString('hex')],
          },
        },
      ),
      inbound('vless ws', 20080, 'vless', { decryption: 'none' }, { network: 'ws', wsSettings: { path: '/ws' } }),
      inbound(
        'vmess httpupgrade',
        20081,
        'vmess',
        {},
        {
          network: 'httpupgrade',
          httpupgradeSettings: { path: '/up' },
        },
      ),
      inbound('trojan grpc', 20082, 'trojan', {}, { network: 'grpc', grpcSettings: { serviceName: 'seed' } }),
      inbound('shadowsocks', 20388, 'shadowsocks', { network: 'tcp,udp' }),
    ],
    outbounds: [
      { tag: 'direct', protocol: 'freedom' },
      { tag: 'block', protocol: 'blackhole' },
    ],
    routing: { rules: [{ ip: ['geoip:private'], outboundTag: 'block' }] },
  };
}
