/** Characters that JSON does not escape, but that YAML forbids or reads as the end of a line. */
const UNSAFE = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

/**
 * A value in the flow style of YAML, which is JSON with a few more escapes. Every text is in double quotes, so that no
 * reader takes `2351e1`, `no` or `~` for a number, a boolean or null.
 */
export function yamlFlow(value: unknown): string {
  return JSON.stringify(value).replace(
    UNSAFE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Escapes a text for the inside of a quoted YAML string, without the quotes. */
export const yamlText = (text: string): string => yamlFlow(text).slice(1, -1);
