/** A configuration is refused. The message is for the operator and never contains a key or a password. */
export class CoreConfigError extends Error {
  override readonly name: string = 'CoreConfigError';

  constructor(
    message: string,
    /** The path of the wrong value, such as `inbounds[0].streamSettings.network`; empty for the whole configuration. */
    readonly path: string,
  ) {
    super(message);
  }
}

/** The input is not a configuration: not JSON, not an object, empty, nested too deeply, or with a forbidden key. */
export class UnreadableCoreConfigError extends CoreConfigError {
  override readonly name = 'UnreadableCoreConfigError';
}
