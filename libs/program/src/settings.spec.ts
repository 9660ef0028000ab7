import { describe, expect, it } from '@jest/globals';
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

describe('readSettings', () => {
  it('reads, parses, derives and falls back', () => {
    expect(read({ KEY: 'four', HOME: '/home/me' })).toEqual({ key: 'four', workers: 2, cache: '/home/me/cache' });
    expect(read({ KEY: 'four', WORKERS: '8', CACHE: '/tmp' })).toEqual({ key: 'four', workers: 8, cache: '/tmp' });
  });

  it('counts a variable that is set to nothing as not set', () => {
    expect(read({ KEY: 'four', WORKERS: '' }).workers).toBe(2);
  });

  it('tells every problem at once, and no value', () => {
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

describe('settingsTable', () => {
  it('has a line for each setting, with its default', () => {
    expect(settingsTable(Settings)).toBe('  KEY      a secret\n  WORKERS  how many (default: 2)\n  CACHE    a folder');
  });
});
