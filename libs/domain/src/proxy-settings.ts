import { DEFAULT_SHADOWSOCKS_METHOD, type ShadowsocksMethod } from './shadowsocks.js';

/** The flows of VLESS users; the empty text means none. */
export const VLESS_FLOWS = ['', 'xtls-rprx-vision'] as const;

/** A flow of VLESS users. */
export type VlessFlow = (typeof VLESS_FLOWS)[number];

/** The credentials of a user, one set per protocol. */
export interface ProxySettings {
  /** For VMess. */
  vmess: {
    /** A UUID. */
    id: string;
  };
  /** For VLESS. */
  vless: {
    /** A UUID. */
    id: string;
    /** The flow; empty: none. */
    flow: VlessFlow;
  };
  /** For Trojan. */
  trojan: {
    /** The password. */
    password: string;
  };
  /** For Shadowsocks. */
  shadowsocks: {
    /** The password. An inbound with a 2022 method has a key that is made from it. */
    password: string;
    /** The method; an inbound with a 2022 method has its own instead. */
    method: ShadowsocksMethod;
  };
}

const ID_BYTES = 16;
const PASSWORD_BYTES = 24;

/** The settings of new credentials beside their secrets. */
export interface ProxyDefaults {
  readonly flow?: VlessFlow;
  readonly method?: ShadowsocksMethod;
}

/**
 * New random credentials.
 *
 * @param random a cryptographic source of random bytes. It is called once, because each call is expensive.
 */
export function newProxySettings(
  random: (bytes: number) => Uint8Array,
  { flow = '', method = DEFAULT_SHADOWSOCKS_METHOD }: ProxyDefaults = {},
): ProxySettings {
  const bytes = Buffer.from(random(2 * ID_BYTES + 2 * PASSWORD_BYTES));
  const passwords = bytes.subarray(2 * ID_BYTES);
  return {
    vmess: { id: uuidV4(bytes.subarray(0, ID_BYTES)) },
    vless: { id: uuidV4(bytes.subarray(ID_BYTES, 2 * ID_BYTES)), flow },
    trojan: { password: passwords.toString('base64url', 0, PASSWORD_BYTES) },
    shadowsocks: { password: passwords.toString('base64url', PASSWORD_BYTES), method },
  };
}

function uuidV4(bytes: Buffer): string {
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
