/**
 * A text in UTF-8, as a string with one character for each byte. Pieces of that kind are put together and sent without
 * being read again, and one name in another alphabet does not make the whole document twice as wide in memory.
 */
export function byteText(text: string): string {
  return /[\u0080-\uffff]/.test(text) ? Buffer.from(text).toString('latin1') : text;
}

/** The bytes that it stands for. */
export const fromByteText = (text: string): Buffer => Buffer.from(text, 'latin1');
