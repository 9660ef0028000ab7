// Writes the code cache of an entry, which prints its help meanwhile: node write-code-cache.cjs FOLDER/ENTRY.cjs
'use strict';
const { renameSync, writeFileSync } = require('node:fs');

const [launcher] = process.argv.slice(2);
process.argv = [process.execPath, launcher, '--help'];
const { script, cache } = require(launcher);
process.once('exit', () => {
  writeFileSync(`${cache}.new`, script.createCachedData());
  renameSync(`${cache}.new`, cache);
});
