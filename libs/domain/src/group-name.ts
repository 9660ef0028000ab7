const GROUP_NAME_MIN_LENGTH = 3;
const GROUP_NAME_MAX_LENGTH = 64;

const PATTERNS = { create: /^[a-z0-9]+$/, modify: /^[a-z0-9_-]+$/ };

/** What a new or a modified group's name is in JSON Schema, exactly. */
export const groupNameSchema = (change: 'create' | 'modify') => ({
  minLength: GROUP_NAME_MIN_LENGTH,
  maxLength: GROUP_NAME_MAX_LENGTH,
  pattern: PATTERNS[change].source,
});

/**
 * Checks a group's name: 3 to 64 characters of `a-z 0-9`; a group that is modified may also have `-` and `_`.
 * Returns what is wrong, in a sentence for the caller of the API, or nothing.
 */
export function groupNameProblem(name: string, change: 'create' | 'modify' = 'create'): string | undefined {
  if (name.length < GROUP_NAME_MIN_LENGTH || name.length > GROUP_NAME_MAX_LENGTH) {
    return `Name must be ${GROUP_NAME_MIN_LENGTH}-${GROUP_NAME_MAX_LENGTH} characters`;
  }
  if (PATTERNS[change].test(name)) return undefined;
  return change === 'create' ? 'Name can only contain a-z and 0-9' : 'Name can only contain a-z, 0-9, - and _';
}
