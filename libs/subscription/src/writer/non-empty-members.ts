/** The members whose text is not empty: clients refuse some empty members. */
export function nonEmptyMembers(members: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== ''));
}
