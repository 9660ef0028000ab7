/**
 * Characters that drive a terminal, begin a line, reverse what is read, or hide: control characters (C0, DEL, C1), those of
 * bidirectional text, line separators, and spaces without width. Joiners stay, which Persian and emoji need.
 */
const UNSAFE = /[\p{Cc}\p{Bidi_Control}\u2028\u2029\u200b\u2060\ufeff]/gu;
/** A line break that is followed by a position in a stack. */
const BEFORE_FRAME = /\n(?= {4,}at )/;
const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** A text that may come from strangers, on one line, with each character that a terminal would obey as an escape of JSON. */
export const printable = (text: string): string => text.replaceAll(UNSAFE, (found) => SHORT[found] ?? escapeOf(found));

/** The same for a text of several lines that are all of this program. */
export const printableLines = (text: string): string => text.split('\n').map(printable).join('\n');

/** The same for a message or a stack: only the positions of the stack have lines of their own. */
export const printableStack = (text: string): string => text.split(BEFORE_FRAME).map(printable).join('\n');

/** A JSON document in which those characters are escaped that JSON allows and terminals obey. */
export const printableJson = (value: unknown): string => JSON.stringify(value).replaceAll(UNSAFE, escapeOf);

const escapeOf = (found: string): string => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`;
