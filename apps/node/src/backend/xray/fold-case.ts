/** Equal for texts that the engine takes for equal when it ignores case, such as JSON keys and e-mails. */
export function foldCase(text: string): string {
  // Both ways: some letters (ſ, the Kelvin sign) have a plain twin in one direction only.
  return text.toUpperCase().toLowerCase();
}
