// Links the own sources of a program into one script for `npm run dev`: after a change only what has changed is compiled.
// esbuild needs a plugin for the metadata of decorators, through which it reads and parses all sources again: ten times as long.
import { readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { transform } from '@swc/core';
import { root } from '../../quickstart/steps.mjs';
import { asciiOnly, withModuleUrl } from './plugins.mjs';
import { workspacePackages } from './workspace-packages.mjs';

/** Loads modules by their names in `MODULES`; packages are loaded from outside. */
const LOADER = `const loaded={};
const load=(name)=>{
if(Object.hasOwn(loaded,name))return loaded[name].exports;
const module=loaded[name]={exports:{}};
const[run,names]=MODULES[name];
run((specifier)=>Object.hasOwn(names,specifier)?load(names[specifier]):require(specifier),module,module.exports);
return module.exports;
};
`;

const IMPORTED = /\brequire\("([^"]+)"\)/g;

export class SourceModules {
  #appFolder;
  #repository;
  #options;
  /** Folders of the libraries by the names of their packages. */
  #libraries;
  /** Compiled sources by path, until they change. */
  #compiled = new Map();

  /** @param app one of `apps` */
  static async create(app, repository = root) {
    const options = JSON.parse(await readFile(join(root, 'tools/quickstart/swc.json'), 'utf8'));
    return new SourceModules(app, repository, options);
  }

  constructor(app, repository, options) {
    this.#appFolder = join(repository, 'apps', app);
    this.#repository = repository;
    const withoutComments = { compress: false, mangle: false, format: { comments: false } };
    this.#options = {
      ...{ ...options, jsc: { ...options.jsc, minify: withoutComments } },
      // Default imports of CommonJS packages are what Node.js makes of them in the compiled program.
      ...{ module: { type: 'commonjs', importInterop: 'node' }, swcrc: false, sourceMaps: true },
    };
    this.#libraries = new Map(
      workspacePackages(`apps/${app}`, repository)
        .filter((folder) => folder.startsWith('libs/'))
        .map((folder) => [`@rampart/${folder.slice('libs/'.length)}`, join(repository, folder)]),
    );
  }

  /** Reads these sources again when they are linked next. */
  forget(paths) {
    for (const path of paths) this.#compiled.delete(path);
  }

  /**
   * Returns the script that runs the modules from `src/main.ts` on between `before` and `after`, its source map, and the packages
   * and modules of Node.js that it needs.
   * @throws an error that names the source which cannot be compiled, or what it imports and is not there
   */
  async link(before, after) {
    const entry = join(this.#appFolder, 'src/main.ts');
    const modules = await this.#reachableFrom(entry);
    const packages = new Set();
    const sections = [];
    let code = `${before}\n${LOADER}const MODULES={\n`;
    let line = code.split('\n').length - 1;
    for (const [path, { text, lines, map, imports }] of modules) {
      const names = {};
      for (const [specifier, target] of imports) {
        if (target === undefined) packages.add(specifier);
        else names[specifier] = this.#nameOf(target);
      }
      code += `${JSON.stringify(this.#nameOf(path))}:[function(require,module,exports){\n${text}\n},${JSON.stringify(names)}],\n`;
      sections.push(`{"offset":{"line":${line + 1},"column":0},"map":${map}}`);
      line += lines + 2;
    }
    code += `};\nload(${JSON.stringify(this.#nameOf(entry))});\n${after}`;
    return { code, map: `{"version":3,"sections":[${sections}]}`, packages: [...packages].sort() };
  }

  /** Compiled modules by path, in the order in which they are imported. */
  async #reachableFrom(entry) {
    const found = new Map();
    const visit = async (path, importer) => {
      if (found.has(path)) return;
      found.set(path, undefined);
      const compiled = await this.#compile(path, importer);
      found.set(path, compiled);
      for (const [specifier, target] of compiled.imports) if (target) await visit(target, { path, specifier });
    };
    await visit(entry);
    return found;
  }

  async #compile(path, importer) {
    const known = this.#compiled.get(path);
    if (known !== undefined) return known;
    const source = await readFile(path, 'utf8').catch((error) => {
      if (error.code !== 'ENOENT' || importer === undefined) throw error;
      throw new Error(`Could not resolve "${importer.specifier}" in ${relative(this.#repository, importer.path)}`);
    });
    const place = path.replace(join(this.#appFolder, 'src'), join(this.#appFolder, 'dist')).replace(/\.ts$/, '.js');
    const adapted = withModuleUrl(source, place, this.#appFolder);
    const { code, map } = await transform(adapted, { ...this.#options, filename: path }).catch((error) => {
      // The native stack of the compiler follows.
      const [text] = error.message.split('\nCaused by');
      throw new Error(`${relative(this.#repository, path)}: ${text}`);
    });
    // A launcher's first line is for the shell.
    const text = asciiOnly(code.replace(/^#!/, '//'));
    const imports = new Map();
    for (const [, specifier] of code.matchAll(IMPORTED)) imports.set(specifier, await this.#resolve(specifier, path));
    const compiled = { text, lines: text.split('\n').length, map, imports };
    this.#compiled.set(path, compiled);
    return compiled;
  }

  /** The path of an own source; undefined for packages. */
  async #resolve(specifier, importer) {
    if (specifier.startsWith('.')) return join(dirname(importer), specifier).replace(/\.js$/, '.ts');
    const [name] = /^@rampart\/[^/]+/.exec(specifier) ?? [];
    const folder = this.#libraries.get(name);
    if (folder === undefined) return undefined;
    const { exports } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    const target = exports[`.${specifier.slice(name.length)}`]?.['rampart-src'];
    if (target === undefined) throw new Error(`${name} exports nothing as "${specifier}"`);
    return join(folder, target);
  }

  #nameOf = (path) => relative(this.#repository, path);
}
