/** The variables of format strings (contract: "Format variables"). */
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

/** The name of a variable, without braces. */
export type FormatVariable = (typeof FORMAT_VARIABLES)[number];

/** The variables that the `path` of a host may use. */
export const PATH_VARIABLES: readonly FormatVariable[] = ['PROTOCOL', 'TRANSPORT', 'USERNAME'];

/** A parsed format string: literal text and variables, in order. */
export type Format = readonly FormatPart[];
/** One part of a parsed format string. */
export type FormatPart = { readonly text: string } | { readonly variable: FormatVariable };

/** The values of the variables; a variable without a value renders as `<missing>`. */
export type FormatValues = { readonly [Variable in FormatVariable]?: string | undefined };

/** A text that is not a valid format string; the message is a sentence for the caller of the API. */
export class FormatError extends Error {
  override readonly name = 'FormatError';

  constructor(
    readonly code: 'stray_brace' | 'unknown_variable',
    message: string,
    /** Position in the text, in UTF-16 code units from 0. */
    readonly position: number,
  ) {
    super(message);
  }
}

const TOKEN = /\{\{|\}\}|\{([^{}]*)\}|[{}]/g;

/**
 * Parses a format string. `{NAME}` is a variable; `{{` and `}}` stand for a single brace.
 *
 * @param allowed the variables that may occur. Default: all of them.
 * @throws FormatError for a single brace outside a variable, and for a variable that is not allowed.
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

/** A `pattern` of JSON Schema that matches exactly the texts that `parseFormat` accepts. */
export const formatPattern = (allowed: readonly FormatVariable[] = FORMAT_VARIABLES): string =>
  `^(?:[^{}]|\\{\\{|\\}\\}|\\{(?:${allowed.join('|')})\\})*$`;

/** Whether a format has no variables, so that it renders the same for every user. */
export const isPlainText = (format: Format): boolean => format.every((part) => 'text' in part);

/** Renders a format with the given values. */
export function renderFormat(format: Format, values: FormatValues): string {
  let text = '';
  for (const part of format) text += 'text' in part ? part.text : (values[part.variable] ?? '<missing>');
  return text;
}
