import { LEAF } from '../nodes/testing/certificates.js';

/** Request bodies that contain every possible object, so that tests can replace any member of any of them. */
export type Json = Record<string, unknown>;

export const HOST: Json = {
  remark: 'odd {USERNAME}',
  inbound_tag: 'vless ws',
  priority: 5,
  address: ['a.example', '*.b.example'],
  port: 443,
  sni: ['s.example'],
  host: ['h.example'],
  path: '/{USERNAME}',
  security: 'tls',
  alpn: ['h2'],
  fingerprint: 'chrome',
  allowinsecure: false,
  http_headers: { 'x-a': 'b' },
  transport_settings: {
    websocket_settings: { heartbeatPeriod: 10 },
    grpc_settings: { multi_mode: true, idle_timeout: 5 },
    kcp_settings: { mtu: 1350 },
    tcp_settings: { header: 'http', request: { headers: { Host: ['h'] } }, response: { status: '200' } },
    xhttp_settings: { mode: 'auto', x_padding_bytes: '1-2', xmux: { maxConcurrency: '1-2' } },
  },
  mux_settings: {
    xray: { enabled: true, concurrency: 8 },
    sing_box: { enable: true, brutal: { enable: true, up_mbps: 5, down_mbps: 5 } },
    clash: { enable: true, brutal: { enable: true, up_mbps: 5, down_mbps: 5 } },
  },
  fragment_settings: {
    xray: { packets: '1-3', length: '1-2', interval: '1-2' },
    sing_box: { fragment: true, fragment_fallback_delay: '500ms' },
  },
  noise_settings: { xray: [{ type: 'rand', packet: '10-20', delay: '1-2', apply_to: 'ip' }] },
  status: ['active'],
  ech_config_list: 'x',
};

export const CORE: Json = {
  name: 'odd',
  config: {
    inbounds: [
      {
        tag: 'vless ws',
        protocol: 'vless',
        port: '8443,9000-9010',
        settings: { decryption: 'none', flow: '' },
        streamSettings: { network: 'ws', wsSettings: { path: '/w', host: 'w', headers: { Host: 'x' } } },
      },
      { tag: 'front', protocol: 'vless', port: 8080, settings: { fallbacks: [{ dest: 81 }] } },
      {
        tag: 'reality',
        protocol: 'vless',
        port: 443,
        settings: { decryption: 'none' },
        streamSettings: {
          network: 'xhttp',
          xhttpSettings: { path: '/x', mode: 'auto', extra: { xPaddingBytes: '1-2' } },
          security: 'reality',
          realitySettings: {
            target: 'example.com:443',
            privateKey: 'yBaw532IIUNuQWDTncozoBaLJmcd1JZzvsHUgVPxMk8',
            shortIds: ['ab'],
            serverNames: ['example.com'],
          },
        },
      },
      { tag: 'ss', protocol: 'shadowsocks', port: 1081, settings: { method: 'aes-128-gcm' } },
      { tag: 'child', protocol: 'trojan', listen: '127.0.0.1', port: 81, streamSettings: { network: 'tcp' } },
    ],
    outbounds: [{ tag: 'direct', protocol: 'freedom' }],
    routing: { rules: [{ ip: ['geoip:private'], outboundTag: 'direct' }] },
  },
  exclude_inbound_tags: ['ss'],
  fallbacks_inbound_tags: ['front'],
  private_networks: ['10.1.0.0/16'],
};

export const GROUP: Json = { name: 'odd', inbound_tags: ['vless ws', 'Shadowsocks TCP'], is_disabled: false };

export const TEMPLATE: Json = {
  name: 'odd',
  group_ids: [1],
  data_limit: 10,
  expire_duration: 20,
  username_prefix: 'a',
  username_suffix: 'z',
  extra_settings: { flow: 'none', method: 'aes-256-gcm' },
  status: 'on_hold',
  on_hold_timeout: 30,
  data_limit_reset_strategy: 'day',
};

export const USER: Json = {
  username: 'odd',
  group_ids: [1],
  status: 'active',
  expire: '2999-01-01T00:00:00Z',
  data_limit: 10,
  data_limit_reset_strategy: 'day',
  note: 'n',
  on_hold_expire_duration: null,
  on_hold_timeout: null,
  auto_delete_in_days: 3,
  next_plan: { data_limit: 5, expire: 60, add_remaining_traffic: true },
  proxy_settings: {
    vmess: { id: 'b4a1cf1c-2f64-4d3c-8a13-6f8f2a2c9e02' },
    vless: { id: 'b4a1cf1c-2f64-4d3c-8a13-6f8f2a2c9e02', flow: '' },
    trojan: { password: 'pp' },
    shadowsocks: { password: 'p'.repeat(22), method: 'aes-128-gcm' },
  },
};

export const SETTINGS: Json = {
  subscription: {
    url_prefix: 'https://*.sub.example/x',
    update_interval: 12,
    support_url: 'https://help.example',
    profile_title: 'For {USERNAME}',
    logo: 'data:image/png;base64,iVBORw0KGgo=',
    announce: 'news',
    announce_url: 'https://news.example',
    server_ip: '192.0.2.1',
    server_ipv6: '2001:db8::1',
    host_status_filter: false,
    randomize_order: true,
    disable_sub_template: true,
    manual_sub_request: { outline: false },
    rules: [{ pattern: 'a+', target: 'links', response_headers: { 'x-a': 'b' } }],
    applications: [
      {
        name: 'a',
        icon_url: 'https://icon.example',
        import_url: 'a://{url}',
        description: { en: 'e' },
        recommended: true,
        platform: 'ios',
        download_links: [{ name: 'd', url: 'https://d.example', language: 'en' }],
      },
    ],
  },
  general: { default_flow: '', default_method: 'aes-256-gcm' },
};

/** A node that nobody reaches. */
export const NODE: Json = {
  name: 'steady',
  address: '127.0.0.1',
  port: 1,
  connection_type: 'grpc',
  server_ca: LEAF,
  keep_alive: 0,
  core_config_id: 2,
  api_key: 'b4a1cf1c-2f64-4d3c-8a13-6f8f2a2c9e03',
};
