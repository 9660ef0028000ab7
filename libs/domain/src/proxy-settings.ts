import { DEFAULT_SHADOWSOCKS_METHOD, type ShadowsocksMethod } from './shadowsocks.js';

export const VLESS_FLOWS = ['', 'xtls-rprx-vision'] as const;

export type VlessFlow = (typeof VLESS_FLOWS)[number];

/** A user's credentials, one set per protocol. */
export interface ProxySettings {
  /** For VMess. */
  vmess: {
    /** A UUID. */
    /** A UUID. */
    id: string;
  };
  /** For VLESS. */
  vless: {
    /** A UUID. */
    /** A UUID. */
    id: string /** The flow; empty: none. */;
    /** The flow; empty: none. */
    flow: VlessFlow;
  };
  /** For Trojan. */
  trojan: {
    /** The password. */
    /** The password. */
    password: string;
  };
  /** For Shadowsocks. */
  shadowsocks: {
    /** The password. An inbound with a 2022 method has a key that is made from it. */
    /** The password. An inbound with a 2022 method has a key that is made from it. */
    password: string /** The method; an inbound with a 2022 method has its own instead. */;
    /** The method; an inbound with a 2022 method has its own instead. */
    method: ShadowsocksMethod;
  };
}

const ID_BYTES = 16;
const PASSWORD_BYTES = 24;

/** What fresh credentials have beside their secrets. */
export interface ProxyDefaults {
  readonly flow?: VlessFlow;
  readonly method?: ShadowsocksMethod;
}

/** Fresh credentials from a cryptographic source of random bytes, which is asked once: each call of it costs. */
export function newProxySettings(
  random: (bytes: number) => Uint8Array,
  { flow = '', method = DEFAULT_SHADOWSOCKS_METHOD }: ProxyDefaults = {},
): ProxySettings {
  const drawn = Buffer.from(random(2 * ID_BYTES + 2 * PASSWORD_BYTES));
  const passwords = drawn.subarray(2 * ID_BYTES);
  return {
    vmess: { id: uuidV4(drawn.subarray(0, ID_BYTES)) },
    vless: { id: uuidV4(drawn.subarray(ID_BYTES, 2 * ID_BYTES)), flow },
    trojan: { password: passwords.toString('base64url', 0, PASSWORD_BYTES) },
    shadowsocks: { password: passwords.toString('base64url', PASSWORD_BYTES), method },
  };
}

function uuidV4(bytes: Buffer): string {
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
