export const FORMAT_VARIABLES = [
  'SERVER_IP',
  'SERVER_IPV6',
  'USERNAME',
  'PROTOCOL',
  'TRANSPORT',
  'DATA_USAGE',
  'DATA_LIMIT',
  'DATA_LEFT',
  'DAYS_LEFT',
  'EXPIRE_DATE',
  'JALALI_EXPIRE_DATE',
  'TIME_LEFT',
  'STATUS_EMOJI',
  'USAGE_PERCENTAGE',
  'ADMIN_USERNAME',
] as const;

export type FormatVariable = (typeof FORMAT_VARIABLES)[number];

/** The variables that a host's `path` may use. */
export const PATH_VARIABLES: readonly FormatVariable[] = ['PROTOCOL', 'TRANSPORT', 'USERNAME'];

/** A parsed format string: literal text and variables, in order. */
export type Format = readonly FormatPart[];
export type FormatPart = { readonly text: string } | { readonly variable: FormatVariable };

/** What stands for each variable; one that is absent renders as `<missing>`. */
export type FormatValues = { readonly [Variable in FormatVariable]?: string | undefined };

export class FormatError extends Error {
  override readonly name = 'FormatError';

  constructor(
    readonly code: 'stray_brace' | 'unknown_variable',
    message: string,
    /** Where in the text, in UTF-16 units from 0. */
    readonly position: number,
  ) {
    super(message);
  }
}

const TOKEN = /\{\{|\}\}|\{([^{}]*)\}|[{}]/g;

/**
 * Reads a format string. `{NAME}` is a variable, `{{` and `}}` write a brace.
 *
 * @param allowed the variables that may occur, by default all of them
 * @throws FormatError for a brace that stands alone or a variable that is not allowed
 */
export function parseFormat(text: string, allowed: readonly FormatVariable[] = FORMAT_VARIABLES): Format {
  const parts: FormatPart[] = [];
  let literal = '';
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [token, name] = match;
    literal += text.slice(end, match.index);
    end = match.index + token.length;
    if (token === '{{' || token === '}}') {
      literal += token[0];
    } else if (name === undefined) {
      throw new FormatError(
        'stray_brace',
        `Stray ${token} at ${match.index}: write ${token}${token} for a brace`,
        match.index,
      );
    } else {
      const variable = allowed.find((known) => known === name);
      if (variable === undefined) {
        throw new FormatError(
          'unknown_variable',
          `Unknown variable {${name}}: known are ${allowed.join(', ')}`,
          match.index,
        );
      }
      if (literal !== '') parts.push({ text: literal });
      literal = '';
      parts.push({ variable });
    }
  }
  literal += text.slice(end);
  if (literal !== '') parts.push({ text: literal });
  return parts;
}

/** The format strings that `parseFormat` reads, as a pattern of JSON Schema. */
export const formatPattern = (allowed: readonly FormatVariable[] = FORMAT_VARIABLES): string =>
  `^(?:[^{}]|\\{\\{|\\}\\}|\\{(?:${allowed.join('|')})\\})*$`;

/** Whether it says the same for everybody. */
export const isPlainText = (format: Format): boolean => format.every((part) => 'text' in part);

/** Writes out a format with the given values. */
export function renderFormat(format: Format, values: FormatValues): string {
  let text = '';
  for (const part of format) text += 'text' in part ? part.text : (values[part.variable] ?? '<missing>');
  return text;
}
