import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runRampart } from './testing/run-rampart.js';

const CORE = {
  inbounds: [
    { tag: 'in-1', port: 443, protocol: 'vless', settings: { clients: [], decryption: 'none' } },
    {
      ...{ tag: 'in-2', port: 8388, protocol: 'shadowsocks' },
      settings: { method: '2022-blake3-aes-128-gcm', password: 'AAECAwQFBgcICQoLDA0ODw==', clients: [] },
    },
  ],
  outbounds: [{ tag: 'direct', protocol: 'freedom' }],
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rampart-core-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function check(config: unknown, ...words: string[]) {
  const file = join(folder, 'core.json');
  await writeFile(file, typeof config === 'string' ? config : JSON.stringify(config));
  return runRampart(['core', 'check', file, ...words], {});
}

describe('rampart core check', () => {
  it('lists the inbounds of a valid configuration, without a service', async () => {
    expect(await check(CORE)).toEqual({
      code: 0,
      stdout: [
        'Valid. It offers these inbounds:',
        'TAG   PROTOCOL     NETWORK  SECURITY  PORT',
        'in-1  vless        tcp      none      443',
        'in-2  shadowsocks  tcp      none      8388',
        '',
      ].join('\n'),
      stderr: '',
    });
  });

  it('reads the comments of the engine, standard input and tags to exclude', async () => {
    const text = `// mine\n${JSON.stringify(CORE)}`;
    const { code, stdout } = await runRampart(['core', 'check', '-', '--exclude', 'in-1', '--json'], {}, text);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      valid: true,
      inbounds: [{ tag: 'in-2', protocol: 'shadowsocks', network: 'tcp', security: 'none', port: 8388 }],
      warnings: [],
    });
  });

  it('says what is wrong, with the message of the API', async () => {
    const [first] = CORE.inbounds;
    const twice = { ...CORE, inbounds: [first, first] };
    const { code, stdout, stderr } = await check(twice);
    expect([code, stderr]).toEqual([1, '']);
    expect(stdout).toMatch(/^Not valid: .*in-1/);
    const json = JSON.parse((await check(twice, '--json')).stdout);
    expect(json).toEqual({ valid: false, error: stdout.slice('Not valid: '.length, -1), inbounds: [], warnings: [] });
    expect(await check('{"inbounds": [')).toMatchObject({ code: 1, stdout: expect.stringMatching(/^Not valid: /) });
  });

  it('says which file cannot be read', async () => {
    expect(await runRampart(['core', 'check', '/nowhere.json'], {})).toEqual({
      code: 1,
      stdout: '',
      stderr: "/nowhere.json cannot be read: ENOENT: no such file or directory, open '/nowhere.json'\n",
    });
  });
});

describe('rampart settings', () => {
  it('shows values and where they come from, and no secret', async () => {
    const secret = 'postgresql://rampart:hidden@127.0.0.1/rampart';
    const file = join(folder, 'url');
    await writeFile(file, `${secret}\n`);
    const { code, stdout } = await runRampart(['settings'], { DATABASE_URL_FILE: file, RAMPART_PORT: '9000' });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^SETTING +VALUE +FROM\n/);
    expect(stdout).toMatch(/^RAMPART_PORT +9000 +environment$/m);
    expect(stdout).toMatch(/^RAMPART_HOST +127\.0\.0\.1 +default$/m);
    expect(stdout).toMatch(new RegExp(`^DATABASE_URL +set +file ${file}$`, 'm'));
    expect(stdout).toMatch(/^RAMPART_ADMIN_PASSWORD +not set$/m);
    expect(stdout).not.toContain('hidden');
  });

  it('says which setting is wrong, with exit code 1', async () => {
    const { code, stdout } = await runRampart(['settings'], { RAMPART_PORT: 'x' });
    expect([code, stdout.split('\n').at(-2)]).toEqual([1, 'wrong: RAMPART_PORT must be an integer from 0 to 65535']);
    const json = JSON.parse((await runRampart(['settings', '--json'], { RAMPART_PORT: 'x' })).stdout);
    expect(json).toContainEqual({
      name: 'RAMPART_PORT',
      value: 'x',
      origin: 'environment',
      problem: 'RAMPART_PORT must be an integer from 0 to 65535',
    });
  });
});
