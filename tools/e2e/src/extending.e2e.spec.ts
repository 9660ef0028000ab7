import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = join(HERE, '../../..');
const fixture = (name: string) => readFileSync(join(HERE, 'testing/addresses-format', name), 'utf8');

/** The changes for a new client format, by file, in the order of docs/extending.md. */
const STEPS: Readonly<Record<string, (text: string) => string>> = {
  'libs/subscription/src/formats/addresses/addresses.ts': () => fixture('addresses.ts.txt'),
  'libs/subscription/src/formats/addresses/addresses.spec.ts': () => fixture('addresses.spec.ts.txt'),
  'libs/subscription/src/formats/subscription-format.ts': (text) =>
    text
      .replace("  'outline',\n]", "  'outline',\n  'addresses',\n]")
      .replace('  outline: JSON_TYPE,\n', '  outline: JSON_TYPE,\n  addresses: TEXT_TYPE,\n')
      .replace('  outline: OUTLINE,\n', '  outline: OUTLINE,\n  addresses: ADDRESSES,\n')
      .replace('import { CLASH,', "import { ADDRESSES } from './addresses/addresses.js';\nimport { CLASH,"),
  'apps/management/src/settings/subscription-settings.dto.ts': (text) =>
    text.replace(
      '  outline = true;\n',
      '  outline = true;\n\n  /** Addresses, one line for each. */\n  @IsBoolean(BOOLEAN)\n  addresses = true;\n',
    ),
  // `npm run gen` writes this file.
  'apps/management/src/openapi/gen/shapes.ts': (text) => text,
};

let copy: string;

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'rampart-extending-'));
  const left = ['.git', 'data', 'dist'];
  for (const part of [
    'apps',
    'libs',
    'proto',
    'tools',
    'biome.json',
    'jest.config.ts',
    'package.json',
    'pnpm-lock.yaml',
    'tsconfig.base.json',
    'tsconfig.json',
  ])
    cpSync(join(ROOT, part), join(copy, part), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => !left.includes(basename(path)),
    });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
}, 60_000);

afterAll(() => rmSync(copy, { recursive: true, force: true }));

/** The files with which the items of a list in docs/extending.md begin. */
function filesListed(title: string): string[] {
  const page = readFileSync(join(ROOT, 'docs/extending.md'), 'utf8');
  const chapter = page.split(/^## /m).find((text) => text.startsWith(`${title}\n`));
  return [...(chapter ?? '').matchAll(/^\d+\. `([^`]+)`/gm)].map(([, file = '']) => file);
}

function write(file: string): void {
  const path = join(copy, file);
  const before = (() => {
    try {
      return readFileSync(path, 'utf8');
    } catch {
      return '';
    }
  })();
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, (STEPS[file] as (text: string) => string)(before));
}

/** Runs a tool of the copied repository with this Node.js; returns the exit code and the output of both streams. */
async function run(...args: string[]): Promise<{ code: number; output: string }> {
  const env = { ...process.env, NODE_OPTIONS: '' };
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: copy, env });
    return { code: 0, output: stdout + stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, output: stdout + stderr };
  }
}

const compile = () => run('node_modules/typescript/bin/tsc', '-b', 'apps/management');

describe('docs/extending.md, a client format', () => {
  it('docs/extending.md lists the files of a new format in an order in which the compiler names what is missing', async () => {
    const files = filesListed('A client format');
    expect(files).toEqual(Object.keys(STEPS));
    for (const file of files.slice(0, 3)) write(file);
    const unfinished = await compile();
    expect(unfinished.code).not.toBe(0);
    expect(unfinished.output).toContain('apps/management/src/subscriptions/subscription.service.ts');
    expect(unfinished.output).toContain("Property 'addresses' does not exist on type");

    for (const file of files.slice(3)) write(file);
    expect(await run('tools/lint/generate.mjs')).toMatchObject({ code: 0 });
    expect(await compile()).toEqual({ code: 0, output: '' });
  }, 180_000);

  it('the format of docs/extending.md is included in the tests of all formats', async () => {
    const tests = await run(
      '--experimental-vm-modules',
      '--no-warnings',
      'node_modules/jest/bin/jest.js',
      '--maxWorkers=1',
      '--verbose',
      'libs/subscription/src/formats/addresses',
      'libs/subscription/src/templates/template-cache.spec.ts',
      '-t',
      'addresses|in a line of its own',
    );
    expect(tests.output).toContain('writes the name, the address and the port of each proxy in a line of its own');
    expect(tests.output).toContain('a document of addresses that is rendered from templates');
    expect(tests).toMatchObject({ code: 0 });
  }, 120_000);
});
