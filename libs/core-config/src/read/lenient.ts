import { CoreConfigError } from './core-config-error.js';

/** Of what nobody promised to read, anything that has another shape is passed over. */
export function lenient<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof CoreConfigError) return undefined;
    throw error;
  }
}
