// Which feature of management owns which table, and where the SQL of one feature names a table of another.

const ENTITY = /@Entity\(\s*(?:\{\s*name:\s*)?'(\w+)'/g;
const NAMED_IN_SQL = /\b(?:FROM|JOIN|INTO|UPDATE|TABLE|USING|ONLY|EXISTS)\s+(?:ONLY\s+)?"?(\w+)"?/g;

/** Table name → feature folder, read from the entities. */
export function tableOwners(files, featureOf) {
  const owners = new Map();
  for (const { path, source } of files) {
    if (!path.endsWith('.entity.ts')) continue;
    for (const [, table] of source.matchAll(ENTITY)) owners.set(table, featureOf(path));
  }
  return owners;
}

/** The tables that the SQL in a source names, each once, in the order of the source. Keywords must be in capitals. */
export function tablesNamedIn(source, owners) {
  const names = [...source.matchAll(NAMED_IN_SQL)].map(([, name]) => name);
  return [...new Set(names)].filter((name) => owners.has(name));
}
