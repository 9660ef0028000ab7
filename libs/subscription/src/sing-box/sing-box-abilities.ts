/** What came into sing-box with which version; an unknown field costs a client its whole profile. */
export interface SingBoxAbilities {
  /** Servers of `dns` have types, and domains are resolved by one of them (1.12). */
  readonly typedDns: boolean;
  /** 1.12 */
  readonly fragments: boolean;
  /** 1.13 */
  readonly pinsPublicKeys: boolean;
}

/** @param version such as `1.11.15`; undefined = a current one */
export function singBoxAbilities(version: string | undefined): SingBoxAbilities {
  const [major = 1, minor = 14] = (version ?? '').split('.').map(Number).filter(Number.isInteger);
  const since = (least: number) => major > 1 || minor >= least;
  return { typedDns: since(12), fragments: since(12), pinsPublicKeys: since(13) };
}
