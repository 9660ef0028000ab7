// Writes the request and answer types of the API into a source file of management.
import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { readHandlers } from './read-handlers.mjs';

/** Writes the file into `folder`; `home` is its folder in the app, to which the imports are relative. */
export function writeShapes(app, home, folder) {
  const { handlers, schemas, classes } = readHandlers(app);
  const byName = classes.sort((a, b) => (a.name < b.name ? -1 : 1));
  const imports = byName.map(({ name, file }) => `import { ${name} } from '${specifier(home, file)}';`);
  const text = `// Written by "npm run gen" from the types of the controllers (tools/openapi). Do not edit.
${imports.join('\n')}
import type { Schema } from '../../validation/json-schema.js';
import type { Handler } from '../schema.js';

/** The DTO classes whose validation rules complete the schemas of the same names. */
export const DTOS: readonly (abstract new () => object)[] = [${byName.map(({ name }) => name).join(', ')}];

export const SCHEMAS: Readonly<Record<string, Schema>> = ${record(schemas)};

/** The handlers by \`Controller.method\`. */
export const HANDLERS: Readonly<Record<string, Handler>> = ${record(handlers)};
`;
  writeFileSync(join(folder, 'shapes.ts'), text);
}

const specifier = (home, file) => relative(home, file).replaceAll('\\', '/').replace(/\.ts$/, '.js');

const record = (entries) =>
  `{\n${Object.entries(entries)
    .map(([name, value]) => `  '${name}': ${JSON.stringify(value)},\n`)
    .join('')}}`;
