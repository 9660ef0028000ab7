interface Entry {
  action: string;
  difference: Readonly<Record<string, { before?: unknown; after?: unknown }>>;
}

/** It changes with every edit, so that it says nothing of one. */
const EDITED_AT = 'edit_at';
/** `config.inbounds.0.port` says with two names where to look; the rest stands in the entry itself. */
const NAMES = 2;

/** The members that an entry of the log of changes names as changed; none where an object came or went as a whole. */
export function changedNames({ action, difference }: Entry): string[] {
  const changes = Object.values(difference);
  const has = (side: 'before' | 'after') => changes.some((change) => Object.hasOwn(change, side));
  if (!action.endsWith('.modify') && !(has('before') && has('after'))) return [];
  const names = Object.keys(difference)
    .filter((path) => path !== EDITED_AT)
    .map((path) =>
      path
        .split('.')
        .filter((name) => !/^\d+$/.test(name))
        .slice(0, NAMES)
        .join('.'),
    );
  return [...new Set(names)];
}
