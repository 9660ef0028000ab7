/** A configuration that is not accepted. The message is for the operator; it never holds a key or a password. */
export class CoreConfigError extends Error {
  override readonly name = 'CoreConfigError';

  constructor(
    message: string,
    /** The offending value, as in `inbounds[0].streamSettings.network`; empty for the configuration as a whole. */
    readonly path: string,
  ) {
    super(message);
  }
}
