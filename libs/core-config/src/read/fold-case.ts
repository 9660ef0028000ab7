// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
const ASCII = /^[\x00-\x7f]*$/;

/** Equal for texts that the engine takes for equal when it ignores case, such as JSON keys and e-mails. */
export function foldCase(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  // To and fro: some letters (ſ, ẞ, the Kelvin sign) meet their twin in one direction only. Go makes an i of an İ.
  return text.replaceAll('İ', 'i').toLowerCase().toUpperCase().toLowerCase();
}
