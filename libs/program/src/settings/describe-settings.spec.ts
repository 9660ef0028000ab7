import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { IsOptional, MinLength } from 'class-validator';
import { describeSettings } from './describe-settings.js';
import { IsBetween, parseInteger } from './setting-rules.js';
import { Setting } from './settings.js';

class Settings {
  @Setting({ name: 'PORT', help: 'port', fallback: '8000', parse: parseInteger })
  @IsBetween(0, 65_535)
  readonly port: number;

  @Setting({ name: 'CACHE', help: 'a folder', derive: ({ HOME }) => HOME && `${HOME}/cache` })
  @IsOptional()
  readonly cache: string | undefined;

  @Setting({ name: 'KEY', help: 'a secret', secret: true })
  @IsOptional()
  @MinLength(8, { message: 'must have at least 8 characters' })
  readonly key: string | undefined;
}

const rows = (source: Record<string, string>) =>
  describeSettings(Settings, source).map(({ name, value, origin, problem }) => [name, value, origin, problem]);

describe(describeSettings.name, () => {
  it('tells defaults, computed values and missing ones', () => {
    expect(rows({ HOME: '/home/me' })).toEqual([
      ['PORT', '8000', 'default', null],
      ['CACHE', '/home/me/cache', 'computed', null],
      ['KEY', null, 'none', null],
    ]);
  });

  it('tells values of the environment, and shows no secret', () => {
    expect(rows({ PORT: '9', CACHE: '/c', KEY: 'top secret' })).toEqual([
      ['PORT', '9', 'environment', null],
      ['CACHE', '/c', 'environment', null],
      ['KEY', 'set', 'environment', null],
    ]);
  });

  it('names the file of a secret', () => {
    const folder = mkdtempSync(join(tmpdir(), 'rampart-settings-'));
    try {
      const file = join(folder, 'key');
      writeFileSync(file, 'top secret\n');
      expect(rows({ KEY_FILE: file })[2]).toEqual(['KEY', 'set', `file ${file}`, null]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('says what is wrong with each setting, and does not fail', () => {
    const missing = "KEY_FILE must name a file that can be read: ENOENT: no such file or directory, open '/nowhere'";
    expect(rows({ PORT: '70000', KEY_FILE: '/nowhere' })).toEqual([
      ['PORT', '70000', 'environment', 'PORT must be an integer from 0 to 65535'],
      ['CACHE', null, 'none', null],
      ['KEY', 'set', 'file /nowhere', missing],
    ]);
    expect(rows({ KEY: 'short' })[2]).toEqual(['KEY', 'set', 'environment', 'KEY must have at least 8 characters']);
  });
});
