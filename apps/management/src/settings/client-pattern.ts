import { RE2JS } from 're2js';
import { Rule } from '../validation/rule.js';

/** In steps of the compiled pattern: what a match costs at most is this times the length of the User-Agent. */
const LARGEST_PROGRAM = 2_000;

/** A pattern for User-Agents, by an engine that needs linear time. Nothing for what it does not take. */
export function compilePattern(text: string): RE2JS | undefined {
  try {
    const pattern = RE2JS.compile(text);
    return pattern.programSize() <= LARGEST_PROGRAM ? pattern : undefined;
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
