import { X509Certificate } from 'node:crypto';
import { type Check, ok, warning, wrong } from './check.js';

const DAY_MS = 86_400_000;
/** Days before the end at which a certificate should long have been renewed. */
const RENEWAL_DAYS = 14;

/**
 * Checks the time of a certificate.
 *
 * @param pem the certificate in PEM form, or a chain that begins with it.
 * @param advice what to do when it ends.
 */
export function checkCertificate(name: string, pem: string | Buffer, now: Date, advice: string): Check {
  const { validFrom, validTo } = new X509Certificate(pem);
  const [begin, end] = [new Date(validFrom), new Date(validTo)];
  const days = Math.floor((end.getTime() - now.getTime()) / DAY_MS);
  const until = `${end.toISOString().slice(0, 10)}`;
  if (now < begin)
    return wrong(
      name,
      `begins only on ${begin.toISOString()}`,
      'Set the clock of this machine, or use another certificate.',
    );
  if (now > end) return wrong(name, `ended on ${until}`, advice);
  if (days < RENEWAL_DAYS) return warning(name, `ends on ${until}, in ${days} days`, advice);
  return ok(name, `ends on ${until}, in ${days} days`);
}
