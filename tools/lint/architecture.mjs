import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkArchitecture } from './src/architecture.mjs';

const problems = checkArchitecture(join(dirname(fileURLToPath(import.meta.url)), '../..'));
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
console.log('Import directions hold; no cycles of files or folders, no foreign tables.');
