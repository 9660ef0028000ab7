/** Features that depend on the version of sing-box; an unknown field makes a client refuse its whole profile. */
export interface SingBoxAbilities {
  /** DNS servers have types, and one of them resolves domains (from 1.12 on). */
  readonly typedDns: boolean;
  /** Clients from 1.12 on know fragments. */
  readonly fragments: boolean;
  /** Clients from 1.13 on know pins of public keys. */
  readonly pinsPublicKeys: boolean;
}

const OLD: SingBoxAbilities = { typedDns: false, fragments: false, pinsPublicKeys: false };
const SINCE_12: SingBoxAbilities = { typedDns: true, fragments: true, pinsPublicKeys: false };
const SINCE_13: SingBoxAbilities = { typedDns: true, fragments: true, pinsPublicKeys: true };

export const SING_BOX_GENERATIONS: readonly SingBoxAbilities[] = [OLD, SINCE_12, SINCE_13];

/**
 * The features of a version of sing-box.
 *
 * @param version such as `1.11.15`; undefined = a current one.
 */
export function singBoxAbilities(version: string | undefined): SingBoxAbilities {
  const [major = 1, minor = 14] = (version ?? '').split('.').map(Number).filter(Number.isInteger);
  const since = (least: number) => major > 1 || minor >= least;
  if (since(13)) return SINCE_13;
  return since(12) ? SINCE_12 : OLD;
}
