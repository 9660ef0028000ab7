import { findNodeAtLocation, parseTree } from 'jsonc-parser';

/** A path of the API, such as `config.inbounds[0].port`, as keys and indexes. */
export const keysOf = (path: string): (string | number)[] =>
  [...path.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map(([, index, key]) =>
    index === undefined ? String(key) : Number(index),
  );

/** Where in a text the value at a path stands; of a path that leads nowhere, the nearest value around it. */
export function placeInText(text: string, path: string): { from: number; to: number } {
  const tree = parseTree(text);
  let keys = keysOf(path);
  if (keys[0] === 'config') keys = keys.slice(1);
  for (; tree && keys.length > 0; keys = keys.slice(0, -1)) {
    const node = findNodeAtLocation(tree, keys);
    if (node) return { from: node.offset, to: Math.min(node.offset + node.length, lineEnd(text, node.offset)) };
  }
  return { from: 0, to: lineEnd(text, 0) };
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}
