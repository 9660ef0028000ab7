// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
const ASCII = /^[\x00-\x7f]*$/;

/** Folds case as Go does: two texts give the same result when the engine takes them for equal, such as keys and e-mails. */
export function foldCase(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  // Lower, upper, lower: some letters (ſ, ẞ, the Kelvin sign) reach their twin in one direction only. Go makes İ an i.
  return text.replaceAll('İ', 'i').toLowerCase().toUpperCase().toLowerCase();
}
