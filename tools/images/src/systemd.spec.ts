import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const UNITS = join(import.meta.dirname, '../../../deploy/systemd');
const units = readdirSync(UNITS).filter((name) => name.endsWith('.service'));
/** The exposure level that systemd-analyze may find, from 0 (none) to 10. */
const LIMIT = 2.5;

/** The settings of glibc's memory in a text. */
const memorySettings = (text: string) => text.match(/\bMALLOC_\w+=\d+/g);

describe('the memory of a node', () => {
  it('is given back to the system by the same settings in its image, in its unit and in the benchmark', () => {
    const repository = join(UNITS, '../..');
    const read = (path: string) => readFileSync(join(repository, path), 'utf8');
    const unit = memorySettings(read('deploy/systemd/rampart-node.service'));
    expect(unit).toEqual(['MALLOC_ARENA_MAX=2', 'MALLOC_TRIM_THRESHOLD_=131072', 'MALLOC_MMAP_THRESHOLD_=131072']);
    expect(memorySettings(read('deploy/Dockerfile'))).toEqual(unit);
    const benchmark = read('tools/bench/node/node-process.mjs').replaceAll(/: '(\d+)'/g, '=$1');
    expect(memorySettings(benchmark)).toEqual(unit);
  });
});

const systemdIsThere = spawnSync('systemd-analyze', ['--version']).error === undefined;

(systemdIsThere ? describe : describe.skip)('the systemd units of deploy/systemd (need systemd-analyze)', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'rampart-units-'));
    // systemd-analyze looks for the programs of a unit on this machine, where Node.js may have another path.
    for (const name of units) {
      const text = readFileSync(join(UNITS, name), 'utf8');
      writeFileSync(join(folder, name), text.replace('ExecStart=/usr/bin/node ', `ExecStart=${process.execPath} `));
    }
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('there is a unit for each program', () => {
    expect(units).toEqual(['rampart-management.service', 'rampart-node.service']);
  });

  it.each(units)('%s passes systemd-analyze verify without a word', (name) => {
    const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', join(folder, name)], {
      encoding: 'utf8',
    });
    expect({ status, said: stdout + stderr }).toEqual({ status: 0, said: '' });
  });

  it.each(units)('%s has an exposure level of at most 2.5', (name) => {
    const said = execFileSync('systemd-analyze', ['security', '--offline=true', '--no-pager', join(folder, name)], {
      encoding: 'utf8',
    });
    const level = Number(/Overall exposure level for \S+: ([\d.]+)/.exec(said)?.[1]);
    expect(level).toBeGreaterThan(0);
    expect(level).toBeLessThanOrEqual(LIMIT);
  });
});
