/**
 * The VMess cipher in formats that clients based on sing-box read. With TLS they treat `auto` as `zero`, which engines from
 * 26.7.11 on refuse; every engine accepts this cipher. Xray, mihomo and the original Clash get `auto` instead.
 */
export const VMESS_CIPHER = 'aes-128-gcm';
