import { randomBytes } from 'node:crypto';

const PLACE = /__NONCE__/g;

/**
 * The page with a nonce of its own, and its content security policy: scripts, styles, fonts and requests of this server alone.
 * The libraries of the page write style elements, which need the nonce; no script is ever inline.
 */
export function pageWithNonce(page: string): { html: string; policy: string } {
  const nonce = randomBytes(18).toString('base64url');
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "connect-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  return { html: page.replaceAll(PLACE, nonce), policy };
}
