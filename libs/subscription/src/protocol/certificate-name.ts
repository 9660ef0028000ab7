import type { ProxySecurity } from '../model/resolved-proxy.js';

/** Whether clients must verify the certificate against another name than the server name that they send. */
export const verifiesOtherName = (security: ProxySecurity): boolean =>
  security.type === 'tls' && !security.allowInsecure && security.verifiedNames.length > 0;
