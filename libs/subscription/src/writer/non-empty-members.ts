/** The members that have a value: clients take some empty ones for wrong ones. */
export function nonEmptyMembers(members: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== ''));
}
