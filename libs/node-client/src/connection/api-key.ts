const LEAST = 16;
const MOST = 256;
const PRINTABLE = /^[\x21-\x7e]*$/;

/** A key in JSON Schema, but for the all-zero UUID. */
export const API_KEY_SCHEMA = { minLength: LEAST, maxLength: MOST, pattern: PRINTABLE.source };

const NIL_UUID = /^(urn:uuid:)?\{?0{8}-?0{4}-?0{4}-?0{4}-?0{12}\}?$/i;

/**
 * Why a text cannot be the API key of a node, or undefined when it can. A key has 16 to 256 printable ASCII characters
 * without spaces. The all-zero UUID is refused: other implementations fall back to it when their setting is broken.
 * The answer never holds the key.
 */
export function apiKeyProblem(key: string): string | undefined {
  if (key.length < LEAST || key.length > MOST) return `must have ${LEAST} to ${MOST} characters, has ${key.length}`;
  if (!PRINTABLE.test(key)) return 'must be printable ASCII without spaces';
  if (NIL_UUID.test(key)) return 'must not be the all-zero UUID';
  return undefined;
}
