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

/** The line in which the server has found a mistake, by what it says of it (`line 3, column 7`); else the first one. */
export function lineOfMistake(text: string, message: string): { from: number; to: number } {
  const [, number = '1'] = /\bline (\d+), column \d+/.exec(message) ?? [];
  const before = text.split('\n').slice(0, Number(number) - 1);
  const from = before.reduce((sum, line) => sum + line.length + 1, 0);
  return { from, to: lineEnd(text, from) };
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}
