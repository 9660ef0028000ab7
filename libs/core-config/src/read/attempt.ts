import { CoreConfigError } from './core-config-error.js';

/** Returns the result of `read`, or the CoreConfigError that it throws. Any other error is thrown on. */
export function attempt<T>(read: () => T): T | CoreConfigError {
  try {
    return read();
  } catch (error) {
    if (error instanceof CoreConfigError) return error;
    throw error;
  }
}

/** Returns the result of `read`, or undefined when it throws a CoreConfigError; for parts that are not validated. */
export function lenient<T>(read: () => T): T | undefined {
  const result = attempt(read);
  return result instanceof CoreConfigError ? undefined : result;
}
