/** A configuration that is not accepted. The message is for the operator; it never holds a key or a password. */
export class CoreConfigError extends Error {
  override readonly name: string = 'CoreConfigError';

  constructor(
    message: string,
    /** The offending value, as in `inbounds[0].streamSettings.network`; empty for the configuration as a whole. */
    readonly path: string,
  ) {
    super(message);
  }
}

/** What came in is no configuration at all: a text that is no JSON, no object, an empty one, or one that is not safe to walk. */
export class UnreadableCoreConfigError extends CoreConfigError {
  override readonly name = 'UnreadableCoreConfigError';
}
