import { createHash, timingSafeEqual } from 'node:crypto';

/** Whether a request, given by its headers, carries the key. One rule for both doors. */
export type Authenticate = (header: (name: string) => string | undefined) => boolean;

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Compares digests in constant time, so neither the key's content nor its length can be measured. */
export function authenticator(apiKey: string): Authenticate {
  const expected = digest(apiKey);
  return (header) => {
    const given = header('x-api-key') ?? /^bearer +(\S+)$/i.exec(header('authorization') ?? '')?.[1];
    return given !== undefined && timingSafeEqual(digest(given), expected);
  };
}

export const WRONG_KEY = 'missing or wrong API key';
