// The sources of all packages, and what they import.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const packagesBelow = (root) =>
  ['apps', 'libs', 'tools'].flatMap((top) =>
    readdirSync(join(root, top), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => `${top}/${entry.name}`),
  );

/** TypeScript of all packages, but for tools/lint, whose own tests quote what is forbidden. */
const typescriptBelow = (root) =>
  packagesBelow(root)
    .filter((name) => name !== 'tools/lint' && existsSync(join(root, name, 'src')))
    .flatMap((name) => filesBelow(root, `${name}/src`, /\.tsx?$/));

const isGenerated = (path) => path.includes('/gen/');
export const sourcesBelow = (root) => typescriptBelow(root).filter((path) => !isGenerated(path));
export const generatedBelow = (root) => typescriptBelow(root).filter(isGenerated);

/** The scripts of all packages, which run as they stand. */
export const scriptsBelow = (root) => packagesBelow(root).flatMap((name) => filesBelow(root, name, /\.mjs$/));

const SKIPPED_FOLDERS = ['node_modules', 'dist'];

function filesBelow(root, folder, names) {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return SKIPPED_FOLDERS.includes(entry.name) ? [] : filesBelow(root, path, names);
      return names.test(entry.name) ? [path] : [];
    })
    .sort();
}

/** Every module specifier that a TypeScript source imports. */
const importsOf = (source) =>
  [...source.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*['"]([^'"]+)['"]/g)].map((match) => match[1]);

/** The specifiers of static imports that bring values, not only types. */
const valueImportsOf = (source) =>
  [...source.matchAll(/^import (?!type\b)(?:[^;]*? from )?'([^']+)';/gm)].map((match) => match[1]);

/**
 * The paths, from the root, of the relative ones among the specifiers that a file imports. Where they have no extension, as in the
 * dashboard, it is that of the source that exists.
 */
function targetsOf(path, specifiers, sources) {
  return specifiers
    .filter((name) => name.startsWith('.'))
    .map((name) =>
      normalize(join(dirname(path), name))
        .replaceAll('\\', '/')
        .replace(/\.js$/, '.ts'),
    )
    .map((target) => [target, `${target}.ts`, `${target}.tsx`].find((one) => sources.has(one)) ?? target);
}

/** Reads sources, each with what it imports. */
export function withImports(root, paths) {
  const sources = new Set(paths);
  return paths.map((path) => {
    const source = readFileSync(join(root, path), 'utf8');
    const imports = importsOf(source);
    const valueTargets = targetsOf(path, valueImportsOf(source), sources);
    return { path, source, imports, targets: targetsOf(path, imports, sources), valueTargets };
  });
}
