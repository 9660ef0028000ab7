import { findNodeAtLocation, getLocation, parseTree } from 'jsonc-parser';
import { keysAt, valuesAt } from './engine-keys';

export interface Proposal {
  label: string;
  /** What replaces the text between `from` and the cursor. */
  insert: string;
}

/** What may stand at a place of a configuration: keys that its object does not have yet, or the values of a key. */
export function completionsAt(text: string, offset: number): { from: number; proposals: Proposal[] } {
  const { path, isAtPropertyKey } = getLocation(text, offset);
  const from = offset - (/"?[\w-]*$/.exec(text.slice(0, offset))?.[0].length ?? 0);
  const isQuoted = text[from] === '"' && text[offset] === '"';
  // Where the key or the value has its closing quotation mark already, none is added.
  const quoted = (label: string) => `"${label}${isQuoted ? '' : '"'}`;
  if (!isAtPropertyKey) return { from, proposals: valuesAt(path).map((label) => ({ label, insert: quoted(label) })) };
  const object = path.slice(0, -1);
  const tree = parseTree(text);
  const node = tree && (object.length > 0 ? findNodeAtLocation(tree, object) : tree);
  const present = new Set(node?.children?.map(({ children }) => String(children?.[0]?.value)));
  const proposals = Object.entries(keysAt(object))
    .filter(([label]) => !present.has(label))
    .map(([label, value]) => ({ label, insert: isQuoted ? quoted(label) : `${quoted(label)}: ${value}` }));
  return { from, proposals };
}
