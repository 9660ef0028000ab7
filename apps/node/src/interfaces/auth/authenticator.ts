import { createHash, timingSafeEqual } from 'node:crypto';

/** Whether a request, given by its headers, carries a valid key. One rule for both doors. */
export type Authenticate = (header: (name: string) => string | undefined) => boolean;

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Compares digests in constant time, so neither the key's content nor its length can be measured. */
export function createAuthenticator(...apiKeys: readonly string[]): Authenticate {
  const expected = apiKeys.map(digest);
  return (header) => {
    const given = header('x-api-key') ?? /^bearer +(\S+)$/i.exec(header('authorization') ?? '')?.[1];
    if (given === undefined) return false;
    const shown = digest(given);
    // Each is compared, whichever it is.
    return expected.filter((key) => timingSafeEqual(shown, key)).length > 0;
  };
}

export const UNAUTHENTICATED_MESSAGE = 'missing or wrong API key';
