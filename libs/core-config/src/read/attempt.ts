import { CoreConfigError } from './core-config-error.js';

/** What is read, or the error where it is refused. Other errors are thrown. */
export function attempt<T>(read: () => T): T | CoreConfigError {
  try {
    return read();
  } catch (error) {
    if (error instanceof CoreConfigError) return error;
    throw error;
  }
}

/** What is read, or undefined where it is refused: for parts that nobody promised to check. */
export function lenient<T>(read: () => T): T | undefined {
  const result = attempt(read);
  return result instanceof CoreConfigError ? undefined : result;
}
