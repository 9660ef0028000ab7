/**
 * Converts a text to a byte text: a string with one character for each byte of its UTF-8 form. Byte texts are joined and
 * written to a buffer without another encoding step, and one non-Latin name does not double the memory of the document.
 */
export function byteText(text: string): string {
  return /[\u0080-\uffff]/.test(text) ? Buffer.from(text).toString('latin1') : text;
}

/** The bytes of a byte text. */
export const fromByteText = (text: string): Buffer => Buffer.from(text, 'latin1');
