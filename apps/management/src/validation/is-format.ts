import { FormatError, type FormatVariable, formatPattern, parseFormat } from '@rampart/domain';
import { Rule } from './rule.js';

/** A format string, or a list or map of them, with known variables and balanced braces. */
export const IsFormat = (allowed?: readonly FormatVariable[]): PropertyDecorator =>
  Rule(
    'isFormat',
    { pattern: formatPattern(allowed) },
    {
      validate: (value) => formatProblem(value, allowed) === undefined,
      defaultMessage: (args) => formatProblem(args?.value, allowed) ?? '',
    },
  );

function formatProblem(value: unknown, allowed?: readonly FormatVariable[]): string | undefined {
  try {
    const texts = typeof value === 'object' && value !== null ? Object.values(value) : [value];
    for (const text of texts) parseFormat(String(text), allowed);
    return undefined;
  } catch (error) {
    if (error instanceof FormatError) return error.message;
    throw error;
  }
}
