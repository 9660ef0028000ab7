/** Equal for texts that the engine takes for equal when it ignores case, such as JSON keys and e-mails. */
export function foldCase(text: string): string {
  // To and fro: some letters (ſ, ẞ, the Kelvin sign) meet their twin in one direction only. Go makes an i of an İ.
  return text.replaceAll('İ', 'i').toLowerCase().toUpperCase().toLowerCase();
}
