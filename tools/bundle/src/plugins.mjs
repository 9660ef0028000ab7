// What esbuild does not do by itself for the packages and sources of this repository.
import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { REPLACED, UNUSED, WITHOUT_SIDE_EFFECTS } from './programs.mjs';

const PACKAGES = /[\\/]node_modules[\\/]/;

/** Packages look for others that need not be installed, such as drivers of databases. Their absence is noticed at run time. */
export const optionalPackages = {
  name: 'optional-packages',
  setup(build) {
    const asked = Symbol('asked');
    build.onResolve({ filter: /^[@a-z]/ }, async ({ path, kind, importer, resolveDir, pluginData }) => {
      if (pluginData === asked || !PACKAGES.test(importer)) return undefined;
      if (kind !== 'require-call' && kind !== 'dynamic-import') return undefined;
      const found = await build.resolve(path, { kind, importer, resolveDir, pluginData: asked });
      return found.errors.length > 0 ? { path, external: true } : found;
    });
  },
};

/** Leaves out what programs.mjs lists as unused. */
export const unusedModules = {
  name: 'unused-modules',
  setup(build) {
    const asked = Symbol('asked');
    for (const { path: filter, from, contents } of UNUSED) {
      build.onResolve({ filter }, ({ path, importer, resolveDir, namespace }) => {
        if (namespace === 'unused' || !from.test(importer)) return undefined;
        if (contents === undefined) return { path, external: true };
        return { path, namespace: 'unused', pluginData: { contents, resolveDir } };
      });
    }
    build.onLoad({ filter: /./, namespace: 'unused' }, ({ pluginData }) => ({ ...pluginData, loader: 'js' }));
    build.onResolve({ filter: WITHOUT_SIDE_EFFECTS }, async ({ path, kind, importer, resolveDir, pluginData }) => {
      if (pluginData === asked || kind !== 'import-statement') return undefined;
      const found = await build.resolve(path, { kind, importer, resolveDir, pluginData: asked });
      return { ...found, sideEffects: false };
    });
  },
};

/**
 * Adapts each file to its place in the bundle: `import.meta.url` stays what it was as seen from the folder of the app, and
 * text beyond ASCII is escaped, because one such character doubles the memory of the whole bundle.
 */
export const adaptedSources = (appFolder) => ({
  name: 'adapted-sources',
  setup(build) {
    build.onLoad({ filter: /\.[cm]?js$/ }, async ({ path, namespace }) => {
      if (namespace !== 'file') return undefined;
      const text = await readFile(path, 'utf8');
      const adapted = asciiOnly(withModuleUrl(withReplacements(text, path), path, appFolder));
      return adapted === text ? undefined : { contents: adapted, loader: 'js' };
    });
  },
});

function withReplacements(text, path) {
  return REPLACED.filter((one) => one.path.test(path)).reduce((before, { from, to }) => {
    if (!from.test(before)) throw new Error(`${path} has nothing that ${from} matches: see REPLACED in programs.mjs`);
    return before.replace(from, () => to);
  }, text);
}

export function withModuleUrl(text, path, appFolder) {
  if (!text.includes('import.meta.url')) return text;
  if (!PACKAGES.test(path)) {
    const place = relative(appFolder, path).replaceAll('\\', '/');
    if (place.startsWith('..')) throw new Error(`${path} uses import.meta.url; in a bundle only apps can do that`);
    return text.replaceAll('import.meta.url', `__moduleUrl(${JSON.stringify(place)})`);
  }
  return text
    .replaceAll(/createRequire\(import\.meta\.url\)\((?=['"])/g, 'require(')
    .replaceAll('import.meta.url', '__moduleUrl("")');
}

/** Escapes are equal to the character in strings, templates and regular expressions; in comments they do no harm. */
export const asciiOnly = (text) =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
  text.replaceAll(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
