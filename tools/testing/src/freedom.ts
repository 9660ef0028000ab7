/**
 * Settings of the outbound `freedom` where users of a test fetch from this machine: engines from 26.7 let nobody reach
 * private addresses by default, 26.3.27 knows no such key.
 */
export const ALLOW_PRIVATE = { finalRules: [{ action: 'allow' }] };
