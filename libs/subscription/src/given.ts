/** The members that have a value: clients take some empty ones for wrong ones. */
export function given(members: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== ''));
}
