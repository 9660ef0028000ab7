import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { IsInt, IsOptional, Min, MinLength } from 'class-validator';
import { readSettings, Setting, type SettingsError, settingsTable } from './settings.js';

const NUMBER = { message: 'must be an integer from 1' };

class Settings {
  @Setting({ name: 'KEY', help: 'a secret' })
  @MinLength(4, { message: 'must have at least 4 characters' })
  readonly key: string;

  @Setting({ name: 'WORKERS', help: 'how many', fallback: '2', parse: Number })
  @Min(1, NUMBER)
  @IsInt(NUMBER)
  readonly workers: number;

  @Setting({ name: 'CACHE', help: 'a folder', derive: ({ HOME }) => HOME && `${HOME}/cache` })
  @IsOptional()
  readonly cache: string | undefined;
}

const read = (source: Record<string, string>) => readSettings(Settings, source);

describe(readSettings.name, () => {
  it('reads and parses values, computes defaults, and uses fallbacks', () => {
    expect(read({ KEY: 'four', HOME: '/home/me' })).toEqual({ key: 'four', workers: 2, cache: '/home/me/cache' });
    expect(read({ KEY: 'four', WORKERS: '8', CACHE: '/tmp' })).toEqual({ key: 'four', workers: 8, cache: '/tmp' });
  });

  it('an empty variable counts as not set', () => {
    expect(read({ KEY: 'four', WORKERS: '' }).workers).toBe(2);
  });

  it('all problems are reported at once, without values', () => {
    expect(() => read({ KEY: 'psw', WORKERS: '0' })).toThrow(
      expect.objectContaining({
        name: 'SettingsError',
        problems: ['KEY must have at least 4 characters', 'WORKERS must be an integer from 1'],
        message:
          'The settings are not right:\n  KEY must have at least 4 characters\n  WORKERS must be an integer from 1',
      } satisfies Partial<SettingsError>),
    );
  });
});

describe(settingsTable.name, () => {
  it('has a line for each setting with its default', () => {
    expect(settingsTable(Settings)).toBe('  KEY      a secret\n  WORKERS  how many (default: 2)\n  CACHE    a folder');
  });
});

describe('a secret', () => {
  class Secrets {
    @Setting({ name: 'KEY', help: 'a secret', secret: true })
    @MinLength(4, { message: 'must have at least 4 characters' })
    readonly key: string;

    @Setting({ name: 'OLD_KEY', help: 'the one before', secret: true })
    @IsOptional()
    readonly oldKey: string | undefined;

    @Setting({ name: 'USER', help: 'its user', fallback: 'me' })
    readonly user: string;
  }

  let folder: string;
  const file = (name: string, content: string): string => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };
  const problemsOf = (source: Record<string, string>): readonly string[] => {
    try {
      readSettings(Secrets, source);
      return [];
    } catch (error) {
      return (error as SettingsError).problems;
    }
  };

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'rampart-secrets-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each([
    ['four', 'four'],
    ['four\n', 'four'],
    ['four\r\n', 'four'],
    [' a line \n\n', ' a line \n'],
  ])('is read from the file that KEY_FILE names, %j as %j', (content, key) => {
    expect(readSettings(Secrets, { KEY_FILE: file('key', content) })).toEqual({ key, user: 'me' });
  });

  it('an empty KEY_FILE counts as not set', () => {
    expect(readSettings(Secrets, { KEY: 'four', KEY_FILE: '' }).key).toBe('four');
  });

  it('from a file is checked by the same rules, and not shown', () => {
    expect(problemsOf({ KEY_FILE: file('short', 'psw') })).toEqual(['KEY must have at least 4 characters']);
  });

  it('a missing, empty or unreadable secret file is reported once, with its variable', () => {
    const missing = join(folder, 'missing');
    expect(problemsOf({ KEY_FILE: missing, OLD_KEY_FILE: file('empty', '\n') })).toEqual([
      `KEY_FILE must name a file that can be read: ENOENT: no such file or directory, open '${missing}'`,
      `OLD_KEY_FILE must name a file that is not empty: ${join(folder, 'empty')} is`,
    ]);
    expect(problemsOf({ KEY_FILE: folder })).toEqual([
      'KEY_FILE must name a file that can be read: EISDIR: illegal operation on a directory, read',
    ]);
  });

  it('cannot be set both in a variable and in a file', () => {
    expect(problemsOf({ KEY: 'four', KEY_FILE: file('key', 'five') })).toEqual([
      'KEY_FILE must not be set beside KEY: set only one of them',
    ]);
  });

  it('only secrets can be read from files', () => {
    expect(readSettings(Secrets, { KEY: 'four', USER_FILE: file('user', 'you') }).user).toBe('me');
  });

  it('secrets are listed below the table', () => {
    expect(settingsTable(Secrets).split('\n').slice(3)).toEqual([
      '',
      'Secrets may stand in files: KEY_FILE is the path of a file that holds KEY, without its last newline.',
      'The same goes for: KEY, OLD_KEY.',
    ]);
  });
});
