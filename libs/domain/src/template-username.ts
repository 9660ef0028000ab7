const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const RANDOM_LENGTH = 5;
/** The largest multiple of the alphabet's size in a byte: beyond it, some letters would come more often. */
const FAIR_BYTES = 256 - (256 % ALPHABET.length);

/** What a template puts around the names of its users. */
export interface UsernameAffixes {
  usernamePrefix: string | null;
  usernameSuffix: string | null;
}

/** The final username; whether it is a valid one, `usernameProblem` says. */
export function templateUsername({ usernamePrefix, usernameSuffix }: UsernameAffixes, name: string): string {
  return `${usernamePrefix ?? ''}${name}${usernameSuffix ?? ''}`;
}

/** `base` followed by `first` and the numbers after it. Digits at the end of the base are left out: `ali7` is `ali`. */
export function numberedUsernames(base: string, first: number, count: number): string[] {
  const stem = base.replace(/\d+$/, '');
  return Array.from({ length: count }, (_, index) => `${stem}${first + index}`);
}

/** Different names of five characters of `A-Z 0-9` each, from a cryptographic source of random bytes. */
export function randomUsernames(count: number, random: (bytes: number) => Uint8Array): string[] {
  const names = new Set<string>();
  while (names.size < count) names.add(randomName(random));
  return [...names];
}

function randomName(random: (bytes: number) => Uint8Array): string {
  let name = '';
  while (name.length < RANDOM_LENGTH) {
    for (const byte of random(RANDOM_LENGTH - name.length)) {
      if (byte < FAIR_BYTES) name += ALPHABET[byte % ALPHABET.length];
    }
  }
  return name;
}
