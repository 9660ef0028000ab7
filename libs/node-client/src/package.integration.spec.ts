import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { issuedByAuthority } from './testing/certificates.js';

const ROOT = join(import.meta.dirname, '../../..');
const LIBRARY = join(ROOT, 'libs/node-client');
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
const NAME = '@rampart/node-client';
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
const node: NodeClient = createNodeClient({ transport: 'auto', host: 'n', port: 1, apiKey: 'a-key-of-the-tests', tls: 'system' });
const call: Promise<bigint[]> = node.stats({ type: StatType.UsersStat }).then(({ stats }) => stats.map(({ value }) => value));
call.catch((error: unknown) => console.log(error instanceof NodeClientError && error.code, userDigest(User.create()).length));
await node.close();
`;

/** Packed as an integrator gets it, and used outside of the repository. No network: its dependencies are linked. */
describe('the package', () => {
  let folder: string;
  let unpacked: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'rampart-package-'));
    unpacked = join(folder, 'node_modules', NAME);
    await execute(process.execPath, [TSC, '-b', LIBRARY]);
    const pnpm = ['exec', '--yes', '--prefer-offline', '--package=pnpm@12.21.0', '--', 'pnpm'];
    await execute('npm', [...pnpm, 'pack', '--pack-destination', folder], { cwd: LIBRARY });
    const [archive = ''] = readdirSync(folder).filter((file) => file.endsWith('.tgz'));
    mkdirSync(unpacked, { recursive: true });
    await execute('tar', ['-xzf', join(folder, archive), '--strip-components=1', '-C', unpacked]);
    for (const name of [...DEPENDENCIES, '@types/node']) {
      const from = name === '@types/node' ? ROOT : LIBRARY;
      const link = join(folder, 'node_modules', name);
      mkdirSync(join(link, '..'), { recursive: true });
      symlinkSync(join(from, 'node_modules', name), link);
    }
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(join(folder, 'consumer.ts'), CONSUMER);
  }, 60_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('says what it is and needs, in versions that a registry knows', () => {
    const manifest = JSON.parse(readFileSync(join(unpacked, 'package.json'), 'utf8'));
    const own = JSON.parse(readFileSync(join(LIBRARY, 'package.json'), 'utf8'));
    expect(manifest).toMatchObject({ name: NAME, version: own.version, type: 'module' });
    expect(manifest.private).toBeUndefined();
    expect(manifest.exports).toEqual({ '.': { types: './dist/index.d.ts', default: './dist/index.js' } });
    expect(Object.keys(manifest.dependencies).sort()).toEqual(DEPENDENCIES);
    for (const version of Object.values(manifest.dependencies)) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  });

  it('holds the README and what was built, nothing else', () => {
    expect(readdirSync(unpacked).sort()).toEqual(['README.md', 'dist', 'package.json']);
    const files = readdirSync(join(unpacked, 'dist'), { recursive: true }).map(String);
    expect(files.filter((file) => !/(\.js|\.d\.ts)$/.test(file) && file !== 'gen')).toEqual([]);
    expect(files.filter((file) => /spec|testing/.test(file))).toEqual([]);
  });

  it('trusts whom the system trusts, and only those', async () => {
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

  it('compiles and runs in a project of its own', async () => {
    const options = ['--module', 'nodenext', '--target', 'es2022', '--strict', '--types', 'node', '--skipLibCheck'];
    await execute(process.execPath, [TSC, ...options, 'consumer.ts'], { cwd: folder });
    const { stdout } = await execute(process.execPath, ['consumer.js'], { cwd: folder });
    expect(stdout).toBe('CANCELLED 16\n');
  });
});
