// Bundles each entry of a program with its libraries and dependencies into one file, from what the compiler wrote.
import { chmod, copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { root, run, StepError } from '../../quickstart/steps.mjs';
import { licences } from './licences.mjs';
import { adaptedSources, optionalPackages, unusedModules } from './plugins.mjs';
import { bundleFolder, PROGRAMS } from './programs.mjs';

const MODULE_URL =
  "const __moduleUrl=(place)=>require('node:url').pathToFileURL(require('node:path').join(__dirname,place)).href;";

/** Options of esbuild that all bundles have in common. */
export const BUNDLE = {
  absWorkingDir: root,
  outExtension: { '.js': '.cjs' },
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  format: 'cjs',
  mainFields: ['module', 'main'],
  // A script that the launcher compiles cannot import what stays outside, only require it.
  supported: { 'dynamic-import': false },
  // The launcher compiles the text as a function, as Node.js does with a CommonJS module.
  banner: { js: `(function(exports,require,module,__filename,__dirname){${MODULE_URL}` },
  footer: { js: '})' },
  // Nest, TypeORM and class-validator know classes by their names, and stacks show the names of functions.
  keepNames: true,
  // An error that ends a program is printed with its line.
  lineLimit: 160,
  legalComments: 'none',
  logLevel: 'warning',
};

/**
 * Writes the bundle of a built program into its folder: for each entry a launcher, `ENTRY.bundle.cjs`, its source map and its
 * code cache for this Node.js; the manifest, which has the version; and the licences of the packages inside.
 */
export async function bundle(app) {
  const { entries, external } = PROGRAMS[app];
  const folder = bundleFolder(app);
  await rm(folder, { recursive: true, force: true });
  const inputs = {};
  for (const [name, { file, flags }] of Object.entries(entries)) {
    const { metafile, warnings } = await build(optionsOf(app, name, file, Object.keys(external)));
    // One of them says that a part of a program is left out.
    if (warnings.length > 0) throw new StepError(`The bundler warns of ${app}: ${warnings[0].text}`);
    Object.assign(inputs, metafile.inputs);
    await nameOnlyRenamed(join(folder, `${name}.bundle.cjs`));
    await shortenSources(join(folder, `${name}.bundle.cjs.map`));
    const launcher = join(folder, `${name}.cjs`);
    await writeFile(
      launcher,
      `#!/usr/bin/env node\nmodule.exports = require('./load.cjs')('${name}', ${JSON.stringify(flags)});\n`,
    );
    await chmod(launcher, 0o755);
  }
  await writeFile(join(folder, 'LICENSES-OF-PACKAGES'), await licences(inputs));
  await copyFile(join(import.meta.dirname, 'load.cjs'), join(folder, 'load.cjs'));
  await copyFile(join(root, 'apps', app, 'package.json'), join(folder, 'package.json'));
  for (const name of Object.keys(entries))
    await run(process.execPath, [join(import.meta.dirname, 'write-code-cache.cjs'), join(folder, `${name}.cjs`)]);
}

function optionsOf(app, name, file, external) {
  const appFolder = join(root, 'apps', app);
  return {
    ...BUNDLE,
    entryPoints: [{ in: join(appFolder, 'dist', file), out: `${name}.bundle` }],
    outdir: bundleFolder(app),
    external,
    plugins: [unusedModules, optionalPackages, adaptedSources(appFolder)],
    sourcemap: 'external',
    sourcesContent: false,
    // Names stay, so that few functions have to be given theirs back (nameOnlyRenamed).
    minifyWhitespace: true,
    minifySyntax: true,
    metafile: true,
  };
}

const NAME_HELPER = 'var __name=(target,value)=>__defProp(target,"name",{value,configurable:!0});';

/**
 * Makes the helper of `keepNames` skip functions that have their name. It is called for each closure that is made, and defining
 * the property took a third of the node's time for a change of many users.
 */
async function nameOnlyRenamed(path) {
  const code = await readFile(path, 'latin1');
  if (!code.includes(NAME_HELPER)) throw new Error(`${path} has another helper for names than esbuild wrote so far`);
  const guarded = NAME_HELPER.replace('__defProp', 'target.name===value?target:__defProp');
  await writeFile(path, code.replace(NAME_HELPER, guarded), 'latin1');
}

/** Names the sources in a source map by their paths in the repository or in their package, wherever the bundle is copied to. */
async function shortenSources(path) {
  const map = JSON.parse(await readFile(path, 'utf8'));
  map.sources = map.sources.map((source) =>
    source.replace(/^.*node_modules\//, '').replace(/^(?:\.\.\/)+(?=libs\/)/, ''),
  );
  await writeFile(path, JSON.stringify(map));
}
