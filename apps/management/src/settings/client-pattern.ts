import { RE2JS } from 're2js';
import { Rule } from '../validation/rule.js';

/** Maximum size of a compiled pattern. The cost of a match is at most this times the length of the User-Agent. */
const MAX_PROGRAM_SIZE = 2_000;

/**
 * Compiles a pattern for User-Agents with an engine that runs in linear time; undefined for patterns that it does not
 * support.
 */
export function compilePattern(text: string): RE2JS | undefined {
  try {
    const pattern = RE2JS.compile(text);
    return pattern.programSize() <= MAX_PROGRAM_SIZE ? pattern : undefined;
  } catch {
    return undefined;
  }
}

export const IsPattern = (): PropertyDecorator =>
  Rule(
    'isPattern',
    {},
    { validate: (text) => compilePattern(String(text)) !== undefined },
    { message: 'Input should be a short regular expression (RE2) without look-around and back-references' },
  );
