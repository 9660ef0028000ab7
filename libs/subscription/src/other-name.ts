import type { ProxySecurity } from './resolved-proxy.js';

/** Whether clients must look for another name in the certificate than the one that they ask for. */
export const wantsOtherName = (security: ProxySecurity): boolean =>
  security.type === 'tls' && !security.allowInsecure && security.verifiedNames.length > 0;
