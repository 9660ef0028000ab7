import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { programNames, programs } from './programs.js';

const moduleVersions = {
  xray: 'github.com/xtls/xray-core v1.260327.0',
  'sing-box': 'github.com/sagernet/sing-box v1.14.1',
  'sing-box-1.11': 'github.com/sagernet/sing-box v1.11.15',
  mihomo: 'github.com/metacubex/mihomo v1.19.29',
};

const realAnswers = {
  xray: 'Xray 26.3.27 (Xray, Penetrates Everything.) Custom (go1.26.8 linux/amd64)\nA unified platform for anti-censorship.\n',
  'sing-box': 'sing-box version 1.14.1\n\nEnvironment: go1.26.8 linux/amd64\nTags: with_utls,with_quic\nCGO: enabled\n',
  'sing-box-1.11': 'sing-box version 1.11.15\n\nEnvironment: go1.26.8 linux/amd64\nTags: with_utls\nCGO: enabled\n',
  mihomo: 'Mihomo Meta v1.19.29 linux amd64 with go1.26.8 unknown time\nUse tags: with_gvisor\n',
};

describe('programs', () => {
  it.each(programNames)('the Go module of %s pins the same version', (name) => {
    const { go } = programs[name];
    const file = (path: string) => readFileSync(new URL(`../${go.folder}/${path}`, import.meta.url), 'utf8');
    expect(file('go.mod')).toContain(`\t${moduleVersions[name]}`);
    expect(file('go.mod')).toContain(`\ntool ${go.package}\n`);
    expect(file('go.sum')).toContain(`\n${moduleVersions[name]} h1:`);
  });

  it.each(programNames)('the version of %s is read from its real answer', (name) => {
    const { ask, version } = programs[name];
    expect(ask.pattern.exec(realAnswers[name])?.[1]).toBe(version);
  });

  it('the names of the archives are those of the releases', () => {
    expect(programNames.map((name) => programs[name].release.assets['linux-x64'])).toEqual([
      'Xray-linux-64.zip',
      'sing-box-1.14.1-linux-amd64.tar.gz',
      'sing-box-1.11.15-linux-amd64.tar.gz',
      'mihomo-linux-amd64-v1-v1.19.29.gz',
    ]);
    expect(programNames.map((name) => programs[name].release.assets['linux-arm64'])).toEqual([
      'Xray-linux-arm64-v8a.zip',
      'sing-box-1.14.1-linux-arm64.tar.gz',
      'sing-box-1.11.15-linux-arm64.tar.gz',
      'mihomo-linux-arm64-v1.19.29.gz',
    ]);
  });
});
