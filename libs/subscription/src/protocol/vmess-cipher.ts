/**
 * The VMess cipher of formats that apps around sing-box read. Under TLS they take `auto` for `zero`, which engines from
 * 26.7.11 refuse; this one every engine accepts. Xray, mihomo and the first Clash choose a cipher themselves by `auto`.
 */
export const VMESS_CIPHER = 'aes-128-gcm';
