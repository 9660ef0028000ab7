import { CoreConfigError } from './core-config-error.js';

/** Returns what is read, or the CoreConfigError with which it is refused. Any other error is thrown. */
export function attempt<T>(read: () => T): T | CoreConfigError {
  try {
    return read();
  } catch (error) {
    if (error instanceof CoreConfigError) return error;
    throw error;
  }
}

/** Returns what is read, or undefined where it is refused: for parts that are not validated. */
export function lenient<T>(read: () => T): T | undefined {
  const result = attempt(read);
  return result instanceof CoreConfigError ? undefined : result;
}
