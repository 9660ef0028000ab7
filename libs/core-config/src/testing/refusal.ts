import { type CoreConfigOptions, parseCoreConfig } from '../parse-core-config.js';
import { CoreConfigError } from '../read/core-config-error.js';

/** Returns the message and path of the error for a configuration that must be refused. */
export function refusal(config: unknown, options: CoreConfigOptions = {}): { message: string; path: string } {
  try {
    parseCoreConfig(config, options);
  } catch (error) {
    if (!(error instanceof CoreConfigError)) throw error;
    return { message: error.message, path: error.path };
  }
  throw new Error('the configuration was accepted');
}
