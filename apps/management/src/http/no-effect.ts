/** A value was accepted or stored, but has no effect. */
export interface NoEffectWarning {
  /** The member of the request. */
  path: string;
  /** The kind of the warning. */
  code: 'no_effect';
  /** A sentence that says what has no effect, and why. */
  message: string;
}

export const noEffect = (path: string, message: string): NoEffectWarning => ({ path, code: 'no_effect', message });
