// Fills the test column of SECURITY.md from the titles of the tests; with --check it only compares.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withTests } from './src/security.mjs';
import { sourcesBelow } from './src/sources.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const file = join(root, 'SECURITY.md');
const specs = sourcesBelow(root).filter((path) => path.endsWith('.spec.ts'));
const written = readFileSync(file, 'utf8');
const { text, problems } = withTests(
  written,
  specs.map((path) => readFileSync(join(root, path), 'utf8')),
);
if (!process.argv.includes('--check')) writeFileSync(file, text);
else if (written !== text) problems.push('SECURITY.md is stale: run "npm run docs" and commit.');
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
console.log('SECURITY.md names the tests of every row.');
