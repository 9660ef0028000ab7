const MIN_LENGTH = 16;
const MAX_LENGTH = 256;
const PRINTABLE = /^[\x21-\x7e]*$/;

/** The rule of `apiKeyProblem` as keywords of JSON Schema, which do not exclude the all-zero UUID. */
export const API_KEY_SCHEMA = { minLength: MIN_LENGTH, maxLength: MAX_LENGTH, pattern: PRINTABLE.source };

const NIL_UUID = /^(urn:uuid:)?\{?0{8}-?0{4}-?0{4}-?0{4}-?0{12}\}?$/i;

/**
 * Checks the API key of a node: 16 to 256 printable ASCII characters without spaces. The all-zero UUID is refused, because
 * other implementations fall back to it when their setting is invalid.
 *
 * @returns what is wrong, without the key itself; undefined for a valid key.
 */
export function apiKeyProblem(key: string): string | undefined {
  if (key.length < MIN_LENGTH || key.length > MAX_LENGTH)
    return `must have ${MIN_LENGTH} to ${MAX_LENGTH} characters, has ${key.length}`;
  if (!PRINTABLE.test(key)) return 'must be printable ASCII without spaces';
  if (NIL_UUID.test(key)) return 'must not be the all-zero UUID';
  return undefined;
}
