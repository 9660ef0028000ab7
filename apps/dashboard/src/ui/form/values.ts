/** Values of the API that several forms offer. */
export const RESETS = ['no_reset', 'day', 'week', 'month', 'year'] as const;
/** The flows of VLESS; the empty one is none. */
export const FLOWS = ['', 'xtls-rprx-vision'] as const;
/** The methods of Shadowsocks. */
export const METHODS = ['chacha20-ietf-poly1305', 'xchacha20-poly1305', 'aes-128-gcm', 'aes-256-gcm'] as const;
