import { createHash, timingSafeEqual } from 'node:crypto';

/** Whether a request with these headers carries a valid key; REST and gRPC use the same rule. */
export type Authenticate = (header: (name: string) => string | undefined) => boolean;

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Compares digests in constant time, so that neither the content nor the length of a key can be measured. */
export function createAuthenticator(...apiKeys: readonly string[]): Authenticate {
  const expected = apiKeys.map(digest);
  return (header) => {
    const shownKey = header('x-api-key') ?? /^bearer +(\S+)$/i.exec(header('authorization') ?? '')?.[1];
    if (shownKey === undefined) return false;
    const keyDigest = digest(shownKey);
    // All keys are compared, so that the time does not depend on which one matches.
    return expected.filter((key) => timingSafeEqual(keyDigest, key)).length > 0;
  };
}

export const UNAUTHENTICATED_MESSAGE = 'missing or wrong API key';
