/** An error that the operator can mend: shown as its message alone, which says what to do next. */
export class OperatorError extends Error {
  override readonly name: string = 'OperatorError';
  /** For scripts that cannot import this class. */
  readonly mendable = true;
}
