/** Characters that JSON writes as they are and YAML does not take, or takes for the end of a line. */
const UNSAFE = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

/**
 * A value in the flow style of YAML, which JSON is but for some characters: every text stands in double quotes, so that
 * no reader takes `2351e1`, `no` or `~` for something else.
 */
export function yamlFlow(value: unknown): string {
  return JSON.stringify(value).replace(
    UNSAFE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The characters of a text as they stand in there. */
export const yamlText = (text: string): string => yamlFlow(text).slice(1, -1);
