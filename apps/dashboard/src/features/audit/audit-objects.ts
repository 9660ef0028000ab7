/** An object that the log of changes may name, with the name by which people know it. */
export interface NamedObject {
  /** How the log names the object, such as `node/3`. */
  target: string;
  name: string;
}

interface Entry {
  action: string;
  target: string;
  difference: Readonly<Record<string, { before?: unknown; after?: unknown }>>;
}

/** These targets have the name itself: `user/ali`. */
const NAMED_BY_TARGET = ['user', 'admin'];
const NUMBERED = ['node', 'core', 'host', 'group', 'user_template', 'api_token'];
/** The API finds one target in a call. */
export const MAX_TARGETS = 12;

/** The name of what was changed: from its target, from the change itself, or as it is called now; else the target. */
export function objectName({ action, target, difference }: Entry, objects: readonly NamedObject[]): string {
  const at = target.indexOf('/');
  // Words such as "Many users created" name the object already.
  if (at === -1) return action.startsWith('usage.') ? target : '';
  if (NAMED_BY_TARGET.includes(target.slice(0, at))) return target.slice(at + 1);
  const { before, after } = difference['name'] ?? difference['remark'] ?? {};
  const changed = [after, before].find((name) => typeof name === 'string' && name !== '');
  return typeof changed === 'string' ? changed : (objects.find((one) => one.target === target)?.name ?? target);
}

/** The targets that somebody may mean who types this: a name or a part of one, a number, or a target as it stands in the log. */
export function targetsOf(text: string, objects: readonly NamedObject[]): string[] {
  if (text === '') return [];
  if (text.includes('/')) return [text];
  const part = text.toLowerCase();
  const named = objects.filter(({ name }) => name.toLowerCase().includes(part));
  const found = [
    // What was deleted is in no list any more.
    ...NAMED_BY_TARGET.map((kind) => `${kind}/${text}`),
    ...(/^\d+$/.test(text) ? NUMBERED.map((kind) => `${kind}/${text}`) : []),
    ...named.sort((one, other) => one.name.length - other.name.length).map(({ target }) => target),
  ];
  return [...new Set(found)].slice(0, MAX_TARGETS);
}
