/** What came into sing-box with which version; an unknown field costs a client its whole profile. */
export interface SingBoxAbilities {
  /** Servers of `dns` have types, and domains are resolved by one of them (1.12). */
  readonly typedDns: boolean;
  /** 1.12 */
  readonly fragments: boolean;
  /** 1.13 */
  readonly pinsPublicKeys: boolean;
}

const OLD: SingBoxAbilities = { typedDns: false, fragments: false, pinsPublicKeys: false };
const SINCE_12: SingBoxAbilities = { typedDns: true, fragments: true, pinsPublicKeys: false };
const SINCE_13: SingBoxAbilities = { typedDns: true, fragments: true, pinsPublicKeys: true };

export const SING_BOX_GENERATIONS: readonly SingBoxAbilities[] = [OLD, SINCE_12, SINCE_13];

/** @param version such as `1.11.15`; undefined = a current one */
export function singBoxAbilities(version: string | undefined): SingBoxAbilities {
  const [major = 1, minor = 14] = (version ?? '').split('.').map(Number).filter(Number.isInteger);
  const since = (least: number) => major > 1 || minor >= least;
  if (since(13)) return SINCE_13;
  return since(12) ? SINCE_12 : OLD;
}
