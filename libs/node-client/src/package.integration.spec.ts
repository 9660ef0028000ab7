import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { issuedByAuthority } from './testing/certificates.js';

const ROOT = join(import.meta.dirname, '../../..');
const LIBRARY = join(ROOT, 'libs/node-client');
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
const NAME = '@rampart/node-client';
const ATTW_MAIN = join(LIBRARY, 'node_modules/@arethetypeswrong/cli/dist/index.js');
/** The last TypeScript with the module resolution `node10`, which older projects still use. */
const OLDER_TSC = join(ROOT, 'tools/openapi/node_modules/typescript/bin/tsc');
const DEPENDENCIES = ['@bufbuild/protobuf', '@grpc/grpc-js', 'undici'];

const ASK = `
import { createNodeClient } from '${NAME}';
for (const tls of ['system', { system: true }]) {
  const node = createNodeClient({ transport: 'rest', host: '127.0.0.1', port: Number(process.argv[2]), apiKey: 'a-key-of-the-tests', tls });
  console.log(await node.info().then(({ running }) => running, ({ code }) => code));
  await node.close();
}
`;

const execute = promisify(execFile);

const CONSUMER = `
import { createNodeClient, type NodeClient, NodeClientError, StatType, User, userDigest } from '${NAME}';
async function main(): Promise<void> {
  const node: NodeClient = createNodeClient({ transport: 'auto', host: 'n', port: 1, apiKey: 'a-key-of-the-tests', tls: 'system' });
  const call: Promise<bigint[]> = node.stats({ type: StatType.UsersStat }).then(({ stats }) => stats.map(({ value }) => value));
  call.catch((error: unknown) => console.log(error instanceof NodeClientError && error.code, userDigest(User.create()).length));
  const ann = { email: '1.ann', proxies: { vless: { id: '0a6c9a3b-7f5e-4c7b-9d0e-2f2f0d3f8a11' } }, inbounds: ['vless-in'] };
  node.syncUser([ann, { email: '2.bob' }]).catch(() => undefined);
  node.start({ config: '{}', users: [ann], keepAlive: 60 }).catch(() => undefined);
  await node.close();
}
`;

/** An error of the package that one half of a program has imported is recognised by the half that has required it. */
const REQUIRE = `
const { createNodeClient, NodeClientError } = require('${NAME}');
import('${NAME}').then(async (imported) => {
  const node = createNodeClient({ transport: 'rest', host: 'n', port: 1, apiKey: 'a-key-of-the-tests', tls: 'system' });
  await node.close();
  const error = await node.info().catch((reason) => reason);
  console.log(error.code, error instanceof NodeClientError, error instanceof imported.NodeClientError);
  console.log(new Error('x') instanceof NodeClientError, NodeClientError === imported.NodeClientError);
});
`;

/** The package as an integrator gets it, used outside of the repository. Its dependencies are linked, without network. */
describe('the package', () => {
  let folder: string;
  let unpacked: string;
  let archive: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'rampart-package-'));
    unpacked = join(folder, 'node_modules', NAME);
    const pnpm = ['exec', '--yes', '--prefer-offline', '--package=pnpm@12.21.0', '--', 'pnpm'];
    await execute('npm', [...pnpm, 'pack', '--pack-destination', folder], { cwd: LIBRARY });
    archive = join(folder, readdirSync(folder).find((file) => file.endsWith('.tgz')) ?? '');
    mkdirSync(unpacked, { recursive: true });
    await execute('tar', ['-xzf', archive, '--strip-components=1', '-C', unpacked]);
    for (const name of [...DEPENDENCIES, '@types/node']) {
      const from = name === '@types/node' ? ROOT : LIBRARY;
      const link = join(folder, 'node_modules', name);
      mkdirSync(join(link, '..'), { recursive: true });
      symlinkSync(join(from, 'node_modules', name), link);
    }
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    mkdirSync(join(folder, 'required'));
    writeFileSync(join(folder, 'required/package.json'), '{"type":"commonjs"}');
    writeFileSync(join(folder, 'required/consumer.ts'), `${CONSUMER}\nvoid main();\n`);
    writeFileSync(join(folder, 'required/plain.js'), REQUIRE);
    writeFileSync(join(folder, 'consumer.ts'), `${CONSUMER}\nawait main();\n`);
  }, 120_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('the manifest names version, licence and dependencies that a registry has', () => {
    const manifest = JSON.parse(readFileSync(join(unpacked, 'package.json'), 'utf8'));
    const own = JSON.parse(readFileSync(join(LIBRARY, 'package.json'), 'utf8'));
    expect(manifest).toMatchObject({ name: NAME, version: own.version, type: 'module' });
    expect(manifest.private).toBeUndefined();
    expect(manifest.exports).toEqual({
      '.': {
        import: { types: './dist/index.d.ts', default: './dist/index.js' },
        require: { types: './dist/cjs/index.d.ts', default: './dist/cjs/index.js' },
      },
      './package.json': './package.json',
    });
    expect(manifest).toMatchObject({ main: './dist/cjs/index.js', types: './dist/cjs/index.d.ts' });
    expect(manifest).toMatchObject({ license: 'MIT', repository: { type: 'git', directory: 'libs/node-client' } });
    expect(Object.keys(manifest.dependencies).sort()).toEqual(DEPENDENCIES);
    for (const version of Object.values(manifest.dependencies)) expect(version).toMatch(/^\^\d+\.\d+\.\d+$/);
  });

  it('contains the README, the licence and the built files only', () => {
    expect(readdirSync(unpacked).sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json']);
    const files = readdirSync(join(unpacked, 'dist'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => relative(join(unpacked, 'dist'), join(parentPath, name)));
    const others = files.filter((file) => !/(\.js|\.d\.ts)$/.test(file));
    expect(others).toEqual(['cjs/package.json']);
    expect(files.filter((file) => /spec|testing/.test(file))).toEqual([]);
  });

  it('trusts the certificate authorities of the system, and no others', async () => {
    const { cert, key, ca } = await issuedByAuthority({ names: ['127.0.0.1'] });
    const server = https.createServer({ cert, key }, (_request, response) => response.end()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    writeFileSync(join(folder, 'ca.pem'), ca);
    writeFileSync(join(folder, 'ask.js'), ASK);
    const ask = async (environment: NodeJS.ProcessEnv): Promise<string> => {
      const env = { ...process.env, ...environment };
      return (await execute(process.execPath, ['ask.js', String(port)], { cwd: folder, env })).stdout;
    };
    const answers = [await ask({ NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') }), await ask({})];
    server.close();
    expect(answers).toEqual(['false\nfalse\n', 'TLS_UNTRUSTED\nTLS_UNTRUSTED\n']);
  });

  it('attw finds no problem with any module resolution of TypeScript', async () => {
    const { stdout } = await execute(process.execPath, [ATTW_MAIN, archive, '--format', 'json']);
    const { analysis, problems } = JSON.parse(stdout);
    expect(problems ?? {}).toEqual({});
    const resolutions = Object.entries<{ resolution?: { moduleKind?: { detectedKind: number } } }>(
      analysis.entrypoints['.'].resolutions,
    );
    expect(resolutions.map(([kind]) => kind).sort()).toEqual(['bundler', 'node10', 'node16-cjs', 'node16-esm']);
    expect(resolutions.filter(([, { resolution }]) => resolution === undefined)).toEqual([]);
    expect(analysis.problems).toEqual([]);
  });

  const STRICT = ['--target', 'es2022', '--strict', '--types', 'node', '--skipLibCheck'];

  it.each([
    ['an ES module', 'nodenext', '.', TSC, ['--module', 'nodenext']],
    ['a CommonJS module', 'nodenext', 'required', TSC, ['--module', 'nodenext']],
    ['a CommonJS module', 'node16', 'required', OLDER_TSC, ['--module', 'node16', '--moduleResolution', 'node16']],
    ['a CommonJS module', 'node10', 'required', OLDER_TSC, ['--module', 'commonjs', '--moduleResolution', 'node10']],
    ['an ES module', 'bundler', '.', OLDER_TSC, ['--module', 'es2022', '--moduleResolution', 'bundler']],
  ])('compiles and runs in %s with the resolution %s', async (_kind, _resolution, place, tsc, options) => {
    const cwd = join(folder, place);
    await execute(process.execPath, [tsc, ...options, ...STRICT, 'consumer.ts'], { cwd }).catch(({ stdout }) => {
      throw new Error(stdout);
    });
    const { stdout } = await execute(process.execPath, ['consumer.js'], { cwd });
    expect(stdout).toBe('CANCELLED 16\n');
  });

  it('errors are recognised in a program that both requires and imports the package', async () => {
    const { stdout } = await execute(process.execPath, ['required/plain.js'], { cwd: folder });
    expect(stdout).toBe('CANCELLED true true\nfalse false\n');
  });
});
