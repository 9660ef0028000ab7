const GROUP_NAME_MIN_LENGTH = 3;
const GROUP_NAME_MAX_LENGTH = 64;

const PATTERNS = { create: /^[a-z0-9]+$/, modify: /^[a-z0-9_-]+$/ };

/** The same rule as `groupNameProblem`, as keywords of JSON Schema. */
export const groupNameSchema = (change: 'create' | 'modify') => ({
  minLength: GROUP_NAME_MIN_LENGTH,
  maxLength: GROUP_NAME_MAX_LENGTH,
  pattern: PATTERNS[change].source,
});

/**
 * Checks the name of a group: 3 to 64 characters of `a-z` and `0-9`; a modified group may also have `-` and `_`.
 *
 * @returns what is wrong, in a sentence for the caller of the API; undefined for a valid name.
 */
export function groupNameProblem(name: string, change: 'create' | 'modify' = 'create'): string | undefined {
  if (name.length < GROUP_NAME_MIN_LENGTH || name.length > GROUP_NAME_MAX_LENGTH) {
    return `Name must be ${GROUP_NAME_MIN_LENGTH}-${GROUP_NAME_MAX_LENGTH} characters`;
  }
  if (PATTERNS[change].test(name)) return undefined;
  return change === 'create' ? 'Name can only contain a-z and 0-9' : 'Name can only contain a-z, 0-9, - and _';
}
