import type { ProxySettings } from '@rampart/domain';

/** Known credentials, with the flow vision wherever it works. */
export const CREDENTIALS: ProxySettings = {
  vmess: { id: '6d6f4ad1-6b52-4b3c-9a3e-0d1f6ad2a001' },
  vless: { id: '6d6f4ad1-6b52-4b3c-9a3e-0d1f6ad2a002', flow: 'xtls-rprx-vision' },
  trojan: { password: 'trojan pass:/?#@+' },
  shadowsocks: { password: 'sspassword-0123456789abcdef', method: 'chacha20-ietf-poly1305' },
};
