/** Where the environment of a test file (`tools/testing/jest`) finds what its programs have said. */
const OUTPUTS = Symbol.for('rampart.outputs');

type Outputs = Map<string, () => string>;

/**
 * Shows what a program has said when a test of this file fails.
 * @param name what the program is called in that output; a second one of this name gets a number
 * @param read returns everything that it has said so far
 */
export function showOutputOnFailure(name: string, read: () => string): void {
  const holder = globalThis as { [OUTPUTS]?: Outputs };
  holder[OUTPUTS] ??= new Map();
  const outputs = holder[OUTPUTS];
  let unused = name;
  for (let number = 2; outputs.has(unused); number += 1) unused = `${name} (${number})`;
  outputs.set(unused, read);
}
