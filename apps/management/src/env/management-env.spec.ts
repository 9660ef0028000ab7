import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { SettingsError } from '@rampart/program';
import { settingNames } from '@rampart/testing';
import { readCommandPassword, readManagementEnv } from './management-env.js';
import { managementHelp } from './management-help.js';

const problemsOf = (source: Record<string, string>): readonly string[] => {
  try {
    readManagementEnv(source);
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
};

describe(readManagementEnv.name, () => {
  it('needs no setting', () => {
    expect(readManagementEnv({})).toMatchObject({
      host: '127.0.0.1',
      scheme: 'http',
      maxSockets: 16_384,
      maxSocketsPerAddress: 1024,
      port: 8000,
      dataDir: './data/management',
      databaseUrl: undefined,
      tokenMinutes: 1440,
      sessionMinutes: 1440,
      loginNameFailures: 5,
      loginNameTotalFailures: 1000,
      loginAddressFailures: 20,
      loginMinutes: 15,
      trustedProxies: undefined,
      bodyLimitMib: 16,
      corsOrigins: undefined,
    });
  });

  it('reads every setting', () => {
    const [key, previous] = [Buffer.alloc(32, 7), Buffer.alloc(32, 6)];
    expect(
      readManagementEnv({
        RAMPART_HOST: '127.0.0.1',
        RAMPART_PORT: '9000',
        RAMPART_DATA_DIR: '/srv/rampart',
        DATABASE_URL: 'postgresql://rampart:secret@db:5432/rampart',
        RAMPART_ADMIN_USERNAME: 'root',
        RAMPART_ADMIN_PASSWORD: 'correct horse',
        RAMPART_PUBLIC_URL: 'https://example.com/panel/',
        RAMPART_CERTS_DIR: '/etc/certs',
        RAMPART_JWT_KEY: key.toString('base64'),
        RAMPART_SUBSCRIPTION_KEY: key.toString('base64url'),
        RAMPART_AT_REST_KEY: key.toString('base64'),
        RAMPART_JWT_KEY_PREVIOUS: previous.toString('base64'),
        RAMPART_SUBSCRIPTION_KEY_PREVIOUS: previous.toString('base64'),
        RAMPART_AT_REST_KEY_PREVIOUS: previous.toString('base64'),
        RAMPART_TOKEN_MINUTES: '60',
        RAMPART_SESSION_MINUTES: '30',
        RAMPART_LOGIN_NAME_FAILURES: '3',
        RAMPART_LOGIN_NAME_TOTAL_FAILURES: '300',
        RAMPART_LOGIN_ADDRESS_FAILURES: '30',
        RAMPART_LOGIN_MINUTES: '5',
        RAMPART_TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8,2001:db8::/32,::1',
        RAMPART_BODY_LIMIT_MIB: '64',
        RAMPART_CORS_ORIGINS: 'https://Panel.example, http://localhost:5173',
      }),
    ).toMatchObject({
      host: '127.0.0.1',
      port: 9000,
      dataDir: '/srv/rampart',
      databaseUrl: 'postgresql://rampart:secret@db:5432/rampart',
      adminUsername: 'root',
      adminPassword: 'correct horse',
      publicUrl: 'https://example.com/panel',
      certsDir: '/etc/certs',
      jwtKey: key,
      subscriptionKey: key,
      atRestKey: key,
      previousJwtKey: previous,
      previousSubscriptionKey: previous,
      previousAtRestKey: previous,
      tokenMinutes: 60,
      sessionMinutes: 30,
      loginNameFailures: 3,
      loginNameTotalFailures: 300,
      loginAddressFailures: 30,
      loginMinutes: 5,
      trustedProxies: ['127.0.0.1', '10.0.0.0/8', '2001:db8::/32', '::1'],
      bodyLimitMib: 64,
      corsOrigins: ['https://panel.example', 'http://localhost:5173'],
    });
  });

  it('the default host with a certificate is all addresses, and a certificate needs its key', () => {
    const files = { RAMPART_TLS_CERT: '/tls/cert.pem', RAMPART_TLS_KEY: '/tls/key.pem' };
    expect(readManagementEnv(files)).toMatchObject({ host: '0.0.0.0', scheme: 'https' });
    expect(readManagementEnv({ ...files, RAMPART_HOST: '::1' }).host).toBe('::1');
    expect(problemsOf({ RAMPART_TLS_CERT: '/tls/cert.pem' })).toEqual([
      'RAMPART_TLS_CERT needs RAMPART_TLS_KEY beside it',
      'RAMPART_TLS_KEY is required because RAMPART_TLS_CERT is set',
    ]);
  });

  it('treats an empty variable like one that is not set', () => {
    expect(readManagementEnv({ RAMPART_PORT: '', DATABASE_URL: '' }).port).toBe(8000);
  });

  it('refuses a first password that is easy to guess, before there is an admin who has it', () => {
    expect(problemsOf({ RAMPART_ADMIN_USERNAME: 'anna', RAMPART_ADMIN_PASSWORD: 'letmein12345' })).toEqual([
      'RAMPART_ADMIN_PASSWORD is refused: Password must not be a common one, nor made of names, repetitions or sequences',
    ]);
  });

  it.each([
    ['https://пример.рф', 'https://xn--e1afmkfd.xn--p1ai'],
    ['http://[2001:db8::1]:8080/a b//', 'http://[2001:db8::1]:8080/a%20b'],
    ['HTTPS://Panel.Example:443/', 'https://panel.example'],
  ])('normalizes the public URL %s', (text, publicUrl) => {
    expect(readManagementEnv({ RAMPART_PUBLIC_URL: text }).publicUrl).toBe(publicUrl);
  });

  it('the error lists every problem at once and shows no value', () => {
    expect(
      problemsOf({
        RAMPART_HOST: 'a b',
        RAMPART_PORT: '70000',
        DATABASE_URL: 'mysql://root:hunter2@db/x',
        RAMPART_ADMIN_PASSWORD: 'hunter2',
        RAMPART_PUBLIC_URL: 'ftp://example.com',
        RAMPART_JWT_KEY: 'c2hvcnQ=',
      }),
    ).toEqual([
      'RAMPART_HOST must be an IP address or a host name',
      'RAMPART_PORT must be an integer from 0 to 65535',
      'RAMPART_PUBLIC_URL must be an http or https URL without query, such as https://panel.example.com',
      'DATABASE_URL must be like postgresql://user:password@host:5432/database',
      'RAMPART_ADMIN_USERNAME is required beside RAMPART_ADMIN_PASSWORD',
      'RAMPART_ADMIN_PASSWORD is refused: Password must have at least 12 characters',
      'RAMPART_JWT_KEY must be 32 bytes in base64',
    ]);
  });

  it.each([
    [
      { DATABASE_URL: 'postgresql://u@h:port/x' },
      'DATABASE_URL must be like postgresql://user:password@host:5432/database',
    ],
    [{ RAMPART_PORT: '80a' }, 'RAMPART_PORT must be an integer from 0 to 65535'],
    [{ RAMPART_AT_REST_KEY_PREVIOUS: 'short' }, 'RAMPART_AT_REST_KEY_PREVIOUS must be 32 bytes in base64'],
    [{ RAMPART_TOKEN_MINUTES: '0' }, 'RAMPART_TOKEN_MINUTES must be an integer from 1 to 525600'],
    [{ RAMPART_LOGIN_NAME_FAILURES: '-1' }, 'RAMPART_LOGIN_NAME_FAILURES must be an integer from 1 to 1000000'],
    [{ RAMPART_BODY_LIMIT_MIB: '0' }, 'RAMPART_BODY_LIMIT_MIB must be an integer from 1 to 256'],
    ...['*', 'panel.example', 'https://panel.example/', 'https://*.example'].map(
      (text): [Record<string, string>, string] => [
        { RAMPART_CORS_ORIGINS: text },
        'RAMPART_CORS_ORIGINS must be origins such as https://panel.example',
      ],
    ),
    [{ RAMPART_LOGIN_MINUTES: '1441' }, 'RAMPART_LOGIN_MINUTES must be an integer from 1 to 1440'],
    ...['10.0.0.1/33', 'proxy.example', '10.1', '1,2', '10.0.0.1,,'].map((text): [Record<string, string>, string] => [
      { RAMPART_TRUSTED_PROXIES: text },
      'RAMPART_TRUSTED_PROXIES must be addresses and networks such as 127.0.0.1,10.0.0.0/8',
    ]),
    [
      { RAMPART_ADMIN_USERNAME: 'system', RAMPART_ADMIN_PASSWORD: 'correct horse' },
      'RAMPART_ADMIN_USERNAME is refused: Username must not be system',
    ],
    [{ RAMPART_ADMIN_USERNAME: 'root' }, 'RAMPART_ADMIN_PASSWORD is required beside RAMPART_ADMIN_USERNAME'],
    [
      { RAMPART_ADMIN_USERNAME: 'Administrator1', RAMPART_ADMIN_PASSWORD: 'administrator1' },
      'RAMPART_ADMIN_PASSWORD is refused: Password must not be the username',
    ],
  ])('refuses %j', (source, problem) => {
    expect(problemsOf(source)).toEqual([problem]);
  });
});

describe(readCommandPassword.name, () => {
  const ask = jest.fn(async () => 'typed horse battery');
  beforeEach(() => {
    ask.mockClear();
  });

  it('uses the password of the settings', async () => {
    expect(await readCommandPassword(ask, { RAMPART_ADMIN_PASSWORD: 'correct horse' })).toBe('correct horse');
    expect(ask).not.toHaveBeenCalled();
  });

  it('uses the password in a file, unless it is that of the first admin', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'rampart-env-'));
    try {
      const file = join(folder, 'password');
      writeFileSync(file, 'correct horse\n');
      expect(await readCommandPassword(ask, { RAMPART_ADMIN_PASSWORD_FILE: file })).toBe('correct horse');
      const source = { RAMPART_ADMIN_USERNAME: 'root', RAMPART_ADMIN_PASSWORD_FILE: file };
      expect(await readCommandPassword(ask, source)).toBe('typed horse battery');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it.each([
    ['otherwise', { RAMPART_ADMIN_PASSWORD: '' }],
    [
      'where the settings have that of the first admin',
      { RAMPART_ADMIN_USERNAME: 'anna', RAMPART_ADMIN_PASSWORD: 'correct horse' },
    ],
  ])('asks for the password %s', async (_, source) => {
    expect([await readCommandPassword(ask, source), ask.mock.calls.length]).toEqual(['typed horse battery', 1]);
  });
});

describe(managementHelp.name, () => {
  it('names every setting, with its default', () => {
    const names = managementHelp().match(/^ {2}(RAMPART_\w+|DATABASE_(?:DIRECT_|OWNER_)?URL|PATH) /gm);
    expect(names).toHaveLength(Object.keys(readManagementEnv({})).length);
    expect(managementHelp()).toMatch(/^ {2}RAMPART_PORT +port to listen on \(default: 8000\)$/m);
  });

  it('names every setting that stands in the source of the settings', () => {
    const folders = ['apps/management/src/env', 'libs/program/src/settings'];
    const names = folders.flatMap((folder) => settingNames(folder)).sort();
    expect(names).toContain('RAMPART_PROBE_NETWORKS');
    expect(names).toContain('RAMPART_LOG_LEVEL');
    for (const name of names) expect(managementHelp()).toContain(`\n  ${name} `);
    expect(managementHelp()).toContain('NO_COLOR=1 removes colours');
  });

  it('accepts DATABASE_DIRECT_URL only beside DATABASE_URL', () => {
    const direct = { DATABASE_DIRECT_URL: 'postgresql://rampart@127.0.0.1:5432/rampart' };
    expect(() => readManagementEnv(direct)).toThrow(
      'DATABASE_DIRECT_URL needs DATABASE_URL beside it, which names the pooler',
    );
    const both = { ...direct, DATABASE_URL: 'postgresql://rampart@127.0.0.1:6432/rampart' };
    expect(readManagementEnv(both).databaseDirectUrl).toBe(direct.DATABASE_DIRECT_URL);
  });

  it('accepts DATABASE_OWNER_URL only beside DATABASE_URL', () => {
    const owner = { DATABASE_OWNER_URL: 'postgresql://owner@127.0.0.1:5432/rampart' };
    expect(() => readManagementEnv(owner)).toThrow(
      'DATABASE_OWNER_URL needs DATABASE_URL beside it, with the role of the service',
    );
    const both = { ...owner, DATABASE_URL: 'postgresql://rampart@127.0.0.1:5432/rampart' };
    expect(readManagementEnv(both).databaseOwnerUrl).toBe(owner.DATABASE_OWNER_URL);
  });

  it('names every secret that may stand in a file', () => {
    const [, secrets = ''] = /^The same goes for: (.+)\.$/m.exec(managementHelp()) ?? [];
    expect(secrets.split(', ')).toEqual(
      expect.arrayContaining([
        'DATABASE_URL',
        'DATABASE_DIRECT_URL',
        'DATABASE_OWNER_URL',
        'RAMPART_ADMIN_PASSWORD',
        ...['JWT', 'SUBSCRIPTION', 'AT_REST'].flatMap((key) => [`RAMPART_${key}_KEY`, `RAMPART_${key}_KEY_PREVIOUS`]),
      ]),
    );
  });

  it('names the program with the commands', () => {
    expect(managementHelp()).toContain('are part of the program "rampart" (rampart --help).\n');
  });
});
