// Runs one of the bundles beside this file, with the code cache that was written for it where it fits this Node.js.
'use strict';
const { readFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { join } = require('node:path');
const { setFlagsFromString } = require('node:v8');
const { Script } = require('node:vm');

/**
 * Returns what the bundle exports, its compiled script and the path of its code cache.
 * @param flags are for V8.
 * @param requireOf makes the function by which the bundle loads what is outside of it, from that of Node.js.
 */
module.exports = (name, flags = [], requireOf = (require) => require) => {
  // V8 refuses a cache that was written under other flags, so that they are set for both, before anything is compiled.
  for (const flag of flags) setFlagsFromString(flag);
  const filename = join(__dirname, `${name}.bundle.cjs`);
  const cache = join(__dirname, `${name}.bundle.${process.version}-${process.arch}.cache`);
  // A bundle is ASCII. Read as Latin-1, it takes one byte for each character, outside of the heap.
  const script = new Script(readFileSync(filename, 'latin1'), { filename, cachedData: readCache(cache) });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, requireOf(createRequire(filename)), module, filename, __dirname);
  return { script, cache, exports: module.exports };
};

function readCache(path) {
  try {
    return readFileSync(path);
  } catch {
    // Without it the program starts all the same, but slower.
    return undefined;
  }
}
