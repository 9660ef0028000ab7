import { describe, expect, it } from '@jest/globals';
import { SettingsError } from '@rampart/program';
import { managementHelp, readManagementEnv } from './management-env.js';

const problemsOf = (source: Record<string, string>): readonly string[] => {
  try {
    readManagementEnv(source);
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
};

describe('readManagementEnv', () => {
  it('needs nothing', () => {
    expect(readManagementEnv({})).toEqual({ host: '0.0.0.0', port: 8000, dataDir: './data/management' });
  });

  it('reads everything', () => {
    const key = Buffer.alloc(32, 7);
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
      }),
    ).toEqual({
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
    });
  });

  it('takes an empty variable for one that is not set', () => {
    expect(readManagementEnv({ RAMPART_PORT: '', DATABASE_URL: '' }).port).toBe(8000);
  });

  it.each([
    ['https://пример.рф', 'https://xn--e1afmkfd.xn--p1ai'],
    ['http://[2001:db8::1]:8080/a b//', 'http://[2001:db8::1]:8080/a%20b'],
    ['HTTPS://Panel.Example:443/', 'https://panel.example'],
  ])('takes the public URL %s as headers take it', (text, publicUrl) => {
    expect(readManagementEnv({ RAMPART_PUBLIC_URL: text }).publicUrl).toBe(publicUrl);
  });

  it('lists every problem at once and shows no value', () => {
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
      'DATABASE_URL must be like postgresql://user:password@host:5432/database',
      'RAMPART_ADMIN_USERNAME is required beside RAMPART_ADMIN_PASSWORD',
      'RAMPART_ADMIN_PASSWORD is refused: Password must have at least 12 characters',
      'RAMPART_PUBLIC_URL must be an http or https URL without query',
      'RAMPART_JWT_KEY must be 32 bytes in base64',
    ]);
  });

  it.each([
    [
      { DATABASE_URL: 'postgresql://u@h:port/x' },
      'DATABASE_URL must be like postgresql://user:password@host:5432/database',
    ],
    [{ RAMPART_PORT: '80a' }, 'RAMPART_PORT must be an integer from 0 to 65535'],
    [{ RAMPART_ADMIN_USERNAME: 'root' }, 'RAMPART_ADMIN_PASSWORD is required beside RAMPART_ADMIN_USERNAME'],
    [
      { RAMPART_ADMIN_USERNAME: 'Administrator1', RAMPART_ADMIN_PASSWORD: 'administrator1' },
      'RAMPART_ADMIN_PASSWORD is refused: Password must not be the username',
    ],
  ])('refuses %j', (source, problem) => {
    expect(problemsOf(source)).toEqual([problem]);
  });
});

describe('managementHelp', () => {
  it('names every setting with its default', () => {
    expect(managementHelp()).toContain('\n  RAMPART_PORT              port to listen on (default: 8000)\n');
    expect(managementHelp().match(/^ {2}(RAMPART_\w+|DATABASE_URL) /gm)).toHaveLength(11);
  });
});
