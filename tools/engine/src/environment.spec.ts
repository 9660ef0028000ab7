import { homedir } from 'node:os';
import { describe, expect, it } from '@jest/globals';
import { cacheFolder, namedPath, searchPath } from './environment.js';
import { programs } from './programs.js';

describe('environment', () => {
  it.each([
    [{ RAMPART_CACHE_DIR: '/r', XDG_CACHE_HOME: '/x', HOME: '/h' }, '/r'],
    [{ RAMPART_CACHE_DIR: '', XDG_CACHE_HOME: '/x', HOME: '/h' }, '/x/rampart'],
    [{ XDG_CACHE_HOME: 'relative', HOME: '/h' }, '/h/.cache/rampart'],
    [{ HOME: '/h' }, '/h/.cache/rampart'],
    [{ HOME: '' }, `${homedir()}/.cache/rampart`],
    [{ RAMPART_CACHE_DIR: 'mine' }, `${process.cwd()}/mine`],
  ])('the cache of %j is %s', (env, folder) => {
    expect(cacheFolder(env)).toBe(folder);
  });

  it('the error for a user without a home folder says which variable to set', () => {
    const homeless = () => {
      throw new Error('ENOENT');
    };
    expect(() => cacheFolder({}, homeless)).toThrow('this user has no home folder: set RAMPART_CACHE_DIR');
    expect(cacheFolder({ RAMPART_CACHE_DIR: '/r' }, homeless)).toBe('/r');
  });

  it('relative folders of PATH are ignored', () => {
    expect(searchPath({ PATH: '/a::.:bin:/b' })).toEqual(['/a', '/b']);
    expect(searchPath({})).toEqual([]);
  });

  it('each program has its own environment variable', () => {
    const env = {
      XRAY_EXECUTABLE_PATH: '/x',
      SING_BOX_EXECUTABLE_PATH: '/s',
      SING_BOX_1_11_EXECUTABLE_PATH: 'rel/old',
      MIHOMO_EXECUTABLE_PATH: '',
    };
    expect(Object.values(programs).map((program) => namedPath(env, program))).toEqual([
      '/x',
      '/s',
      `${process.cwd()}/rel/old`,
      undefined,
    ]);
  });
});
