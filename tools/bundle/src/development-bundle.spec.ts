import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire, SourceMap } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DevelopmentBundle } from './development-bundle.mjs';

const LIBRARY = '@rampart/one';

const FILES = {
  'pnpm-lock.yaml': 'lockfileVersion: 9\n',
  'apps/node/package.json': JSON.stringify({
    name: '@rampart/node',
    version: '1.2.3',
    dependencies: { [LIBRARY]: 'workspace:*', packaged: '1' },
  }),
  'apps/node/src/main.ts': `
    import 'reflect-metadata';
    import { readFileSync } from 'node:fs';
    import { word } from '${LIBRARY}';
    import { packaged } from 'packaged';
    const Kept: ParameterDecorator & ClassDecorator = () => undefined;
    @Kept
    class Greeting {
      constructor(readonly date: Date) {}
    }
    const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
    console.log(word, packaged(), version, Reflect.getMetadata('design:paramtypes', Greeting)[0].name);\n`,
  'libs/one/package.json': JSON.stringify({
    name: LIBRARY,
    type: 'module',
    exports: { '.': { 'rampart-src': './src/index.ts', default: './dist/index.js' } },
  }),
  'libs/one/src/index.ts': "export { word } from './word.js';\n",
  'libs/one/src/word.ts': "export const word: string = 'first';\n",
  'apps/node/node_modules/packaged/package.json': JSON.stringify({ name: 'packaged', main: 'index.js' }),
  'apps/node/node_modules/packaged/index.js': "exports.packaged = () => 'a package';\n",
};

describe(DevelopmentBundle.name, () => {
  let root: string;
  let bundle: DevelopmentBundle;

  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
    return join(root, path);
  };
  const output = () => execFileSync(process.execPath, [bundle.main], { encoding: 'utf8' });
  const packagesTime = () => statSync(join(root, 'apps/node/dist/development/packages.bundle.cjs')).mtimeMs;

  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'rampart-development-'));
    for (const [path, text] of Object.entries(FILES)) write(path, text);
    const modules = join(root, 'apps/node/node_modules');
    mkdirSync(join(modules, '@rampart'));
    symlinkSync(join(root, 'libs/one'), join(modules, LIBRARY));
    cpSync(dirname(createRequire(import.meta.url).resolve('reflect-metadata')), join(modules, 'reflect-metadata'), {
      recursive: true,
    });
    bundle = await DevelopmentBundle.create('node', root);
  });
  afterAll(() => {
    rmSync(root, { recursive: true });
  });

  it('a program runs from its sources, those of its libraries and its packages, with the types of parameters', () => {
    expect(output()).toBe('first a package 1.2.3 Date\n');
  });

  it('a changed source of a library changes the program, and the packages stay as they are', async () => {
    const before = packagesTime();
    expect(await bundle.rebuild([write('libs/one/src/word.ts', "export const word: string = 'second';\n")])).toBe(true);
    expect(output()).toBe('second a package 1.2.3 Date\n');
    expect(packagesTime()).toBe(before);
  });

  it('a changed comment, and a source that the program does not import, change nothing', async () => {
    const commented = write('libs/one/src/word.ts', "export const word: string = 'second'; // a comment\n");
    const other = write('libs/one/src/other.ts', 'export const other = 1;\n');
    expect(await bundle.rebuild([commented, other])).toBe(false);
  });

  it('a source with a syntax error is named, and the program stays as it was until the source is corrected', async () => {
    const broken = write('libs/one/src/word.ts', 'export const word: = 3;\n');
    const message = await bundle.rebuild([broken]).then(String, String);
    expect(message).toMatch(/libs\/one\/src\/word\.ts:.*Unexpected token `=`.*1 \| export const word: = 3;/s);
    expect(message).not.toContain('Stack backtrace');
    expect(output()).toBe('second a package 1.2.3 Date\n');
    const corrected = write('libs/one/src/word.ts', "export const word = 'third';\n");
    expect(await bundle.rebuild([corrected])).toBe(true);
    expect(output()).toBe('third a package 1.2.3 Date\n');
  });

  it('a new source and one that is deleted are noticed', async () => {
    const created = write('libs/one/src/new.ts', "export const word = 'fourth';\n");
    const index = write('libs/one/src/index.ts', "export { word } from './new.js';\n");
    expect(await bundle.rebuild([created, index])).toBe(true);
    expect(output()).toBe('fourth a package 1.2.3 Date\n');
    rmSync(created);
    await expect(bundle.rebuild([created])).rejects.toThrow('Could not resolve "./new.js"');
  });

  it('another package is bundled too, and one that is missing is named until it is installed', async () => {
    const index = write('libs/one/src/index.ts', "import { more } from 'more';\nexport const word = more;\n");
    await expect(bundle.rebuild([index])).rejects.toThrow('Could not resolve "more"');
    write('libs/one/node_modules/more/package.json', JSON.stringify({ name: 'more', main: 'index.js' }));
    write('libs/one/node_modules/more/index.js', "exports.more = 'one more';\n");
    expect(await bundle.rebuild([index])).toBe(true);
    expect(output()).toBe('one more a package 1.2.3 Date\n');
  });

  it('a package that is imported while the program runs is found', async () => {
    const index = write(
      'libs/one/src/index.ts',
      "void import('more').then(({ more }) => console.log('later', more));\nexport const word = 'first';\n",
    );
    expect(await bundle.rebuild([index])).toBe(true);
    expect(output()).toBe('first a package 1.2.3 Date\nlater one more\n');
  });

  it('the source map tells the positions in the sources, also where a comment has moved them', async () => {
    const printing = "\nexport const word = 'first';\nconsole.error(new Error().stack);\n";
    const index = write('libs/one/src/index.ts', printing);
    await bundle.rebuild([index]);
    const { stderr } = spawnSync(process.execPath, [bundle.main], { encoding: 'utf8' });
    const [line, column] = /main\.bundle\.cjs:(\d+):(\d+)\)/.exec(stderr)!.slice(1).map(Number) as [number, number];
    const file = join(root, 'apps/node/dist/development/main.bundle.cjs.map');
    const position = () => new SourceMap(JSON.parse(readFileSync(file, 'utf8'))).findEntry(line - 1, column - 1);
    expect(position()).toMatchObject({ originalSource: index, originalLine: 2, originalColumn: 14 });
    write('libs/one/src/index.ts', `// A comment.\n${printing}`);
    expect(await bundle.rebuild([index])).toBe(false);
    expect(position()).toMatchObject({ originalSource: index, originalLine: 3, originalColumn: 14 });
  });
});
