/** In every sample: Outline carries nothing else, and another host has the same name. */
export const ALWAYS_THERE = 'shadowsocks tcp none';
