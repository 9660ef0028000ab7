/** Something is stored, or was taken, that nothing reads: nobody need wait for what it should do. */
export interface NoEffectWarning {
  /** The member. */
  path: string;
  /** What kind of warning this is. */
  code: 'no_effect';
  /** What has no effect, and why, in a sentence. */
  message: string;
}

export const noEffect = (path: string, message: string): NoEffectWarning => ({ path, code: 'no_effect', message });
