const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const RANDOM_LENGTH = 5;
/** Bytes from this value on are skipped: with them, some letters would be more likely than others. */
const BYTE_LIMIT = 256 - (256 % ALPHABET.length);

/** The texts that a template puts around the usernames of its users; null = none. */
export interface UsernameAffixes {
  usernamePrefix: string | null;
  usernameSuffix: string | null;
}

/** The username with the affixes of a template. It may be invalid: check it with `usernameProblem`. */
export function templateUsername({ usernamePrefix, usernameSuffix }: UsernameAffixes, name: string): string {
  return `${usernamePrefix ?? ''}${name}${usernameSuffix ?? ''}`;
}

/**
 * Names made of `base` and consecutive numbers from `first` on. Digits at the end of `base` are dropped: `ali7` gives
 * `ali1`, `ali2`.
 */
export function numberedUsernames(base: string, first: number, count: number): string[] {
  const stem = base.replace(/\d+$/, '');
  return Array.from({ length: count }, (_, index) => `${stem}${first + index}`);
}

/**
 * Different random names, each of five characters of `A-Z` and `0-9`.
 *
 * @param random a cryptographic source of random bytes.
 */
export function randomUsernames(count: number, random: (bytes: number) => Uint8Array): string[] {
  const names = new Set<string>();
  while (names.size < count) names.add(randomUsername(random));
  return [...names];
}

function randomUsername(random: (bytes: number) => Uint8Array): string {
  let name = '';
  while (name.length < RANDOM_LENGTH) {
    for (const byte of random(RANDOM_LENGTH - name.length)) {
      if (byte < BYTE_LIMIT) name += ALPHABET[byte % ALPHABET.length];
    }
  }
  return name;
}
