// Bundles for `npm run dev`: the dependencies once, and the own sources anew after each change.
import { createHash } from 'node:crypto';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';
import { root, run } from '../../quickstart/steps.mjs';
import { BUNDLE } from './bundle.mjs';
import { adaptedSources, optionalPackages, unusedModules } from './plugins.mjs';
import { PROGRAMS } from './programs.mjs';
import { SourceModules } from './source-modules.mjs';
import { workspacePackages } from './workspace-packages.mjs';

const LAUNCHER = `const load = require('./load.cjs');
const packages = load('packages');
const { exports: inBundle } = packages;
load('main', FLAGS, (require) => (name) => (Object.hasOwn(inBundle, name) ? inBundle[name]() : require(name)));
module.exports = packages;
`;

/** The bundles of a program under development: its packages in `packages.bundle.cjs`, its own sources in `main.bundle.cjs`. */
export class DevelopmentBundle {
  /** The file that runs the program. */
  main;
  #app;
  #repository;
  #folder;
  #sources;
  /** Says which packages are bundled. */
  #packages;
  #code;

  /** Builds both bundles. @throws an error that names the source which cannot be compiled */
  static async create(app, repository = root) {
    const bundle = new DevelopmentBundle(app, repository);
    await bundle.#prepare();
    await bundle.rebuild();
    return bundle;
  }

  constructor(app, repository) {
    this.#app = app;
    this.#repository = repository;
    this.#folder = join(repository, 'apps', app, 'dist/development');
    this.main = join(this.#folder, 'main.cjs');
  }

  /**
   * Bundles the sources anew, of which these files have changed. Returns whether the program has changed with them.
   * @throws an error that names the source which cannot be compiled; the bundle stays as it was
   */
  async rebuild(changed = []) {
    this.#sources.forget(changed);
    const { code, map, packages } = await this.#sources.link(BUNDLE.banner.js, BUNDLE.footer.js);
    const file = join(this.#folder, 'main.bundle.cjs');
    const writeMap = () => writeFile(`${file}.map`, map);
    if (code === this.#code) {
      // Lines of the sources may have moved.
      await writeMap();
      return false;
    }
    await this.#bundlePackages(
      packages.filter((name) => !isBuiltin(name)),
      () => writeFile(file, code),
    );
    await writeMap();
    await writeFile(file, code);
    this.#code = code;
    return true;
  }

  async #prepare() {
    const appFolder = join(this.#repository, 'apps', this.#app);
    await mkdir(this.#folder, { recursive: true });
    await copyFile(join(import.meta.dirname, 'load.cjs'), join(this.#folder, 'load.cjs'));
    await copyFile(join(appFolder, 'package.json'), join(this.#folder, 'package.json'));
    await writeFile(
      this.main,
      LAUNCHER.replace('FLAGS', () => JSON.stringify(PROGRAMS[this.#app].entries.main.flags)),
    );
    this.#sources = await SourceModules.create(this.#app, this.#repository);
  }

  /** Bundles the packages, unless the same were bundled before. @param writeSources writes the bundle of the sources that need them */
  async #bundlePackages(names, writeSources) {
    const lock = await readFile(join(this.#repository, 'pnpm-lock.yaml'));
    const tools = await Promise.all(
      ['plugins.mjs', 'programs.mjs', 'bundle.mjs'].map((name) => readFile(join(import.meta.dirname, name))),
    );
    const digest = createHash('sha256').update(process.version).update(lock).update(names.join());
    for (const tool of tools) digest.update(tool);
    const stamp = `${names.length} packages ${digest.digest('hex')}\n`;
    const file = join(this.#folder, 'packages.stamp');
    this.#packages ??= await readFile(file, 'utf8').catch(() => '');
    if (stamp === this.#packages) return;
    await rm(file, { force: true });
    const appFolder = join(this.#repository, 'apps', this.#app);
    const external = Object.keys(PROGRAMS[this.#app].external);
    await build({
      ...BUNDLE,
      absWorkingDir: this.#repository,
      stdin: {
        contents: `module.exports = {${names
          .filter((name) => !external.includes(name))
          .map((name) => `${JSON.stringify(name)}: () => require(${JSON.stringify(name)})`)}};`,
        resolveDir: appFolder,
      },
      // Packages of libraries are found from there.
      nodePaths: workspacePackages(`apps/${this.#app}`, this.#repository).map((folder) =>
        join(this.#repository, folder, 'node_modules'),
      ),
      outfile: join(this.#folder, 'packages.bundle.cjs'),
      external,
      plugins: [unusedModules, optionalPackages, adaptedSources(appFolder)],
      sourcemap: 'external',
      sourcesContent: false,
      minifyWhitespace: true,
      logLevel: 'silent',
    });
    await rm(join(this.#folder, `packages.bundle.${process.version}-${process.arch}.cache`), { force: true });
    // The code cache is that of a start: the sources have to be there.
    await writeSources();
    await run(process.execPath, [join(import.meta.dirname, 'write-code-cache.cjs'), this.main]);
    await writeFile(file, stamp);
    this.#packages = stamp;
  }
}
