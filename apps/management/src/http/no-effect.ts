/** Something is stored, or was taken, that nothing reads: nobody need wait for what it should do. */
export interface NoEffectWarning {
  path: string;
  code: 'no_effect';
  message: string;
}

export const noEffect = (path: string, message: string): NoEffectWarning => ({ path, code: 'no_effect', message });
