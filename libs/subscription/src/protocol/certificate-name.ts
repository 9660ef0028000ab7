import type { ProxySecurity } from '../model/resolved-proxy.js';

/** Whether clients must look for another name in the certificate than the one that they ask for. */
export const verifiesOtherName = (security: ProxySecurity): boolean =>
  security.type === 'tls' && !security.allowInsecure && security.verifiedNames.length > 0;
