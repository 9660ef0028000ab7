import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { programNames, programs } from '../programs.js';
import { fakeProgram } from '../testing/fake-program.js';
import { Sandbox } from '../testing/sandbox.js';
import { runCommand } from './command.js';

describe(runCommand.name, () => {
  let sandbox: Sandbox;
  let out: string;
  let err: string;

  beforeEach(async () => {
    sandbox = await Sandbox.create();
    [out, err] = ['', ''];
  });

  afterEach(() => sandbox.remove());

  const run = (...args: string[]) => {
    const { reporter: _reporter, ...options } = sandbox.options();
    const screens = {
      out: { write: (text: string) => (out += text) },
      err: { write: (text: string) => (err += text) },
    };
    return runCommand(args, screens, options);
  };

  it('rampart-engine without arguments installs xray', async () => {
    const path = await sandbox.place('xray', fakeProgram('xray'));
    expect(await run()).toBe(0);
    expect(out).toBe(`xray 26.3.27 is ready (path): ${path}\n`);
    expect(err).toBe(`xray 26.3.27: XRAY_EXECUTABLE_PATH: not set\nxray 26.3.27: PATH: ${path}\n`);
  });

  it('--print writes only the path to standard output', async () => {
    const path = await sandbox.place('mihomo', fakeProgram('mihomo'));
    expect(await run('mihomo', '--print')).toBe(0);
    expect(out).toBe(`${path}\n`);
  });

  it('--all-for-tests installs every program that the tests need', async () => {
    for (const name of programNames) await sandbox.place(sandbox.cached(name), fakeProgram(name));
    expect(await run('--all-for-tests', '--print')).toBe(0);
    expect(out.trimEnd().split('\n')).toEqual(programNames.map((name) => sandbox.cached(name)));
  });

  it('--all-for-tests continues after a program that is not available, and exits with 1', async () => {
    for (const name of ['xray', 'sing-box-1.11'] as const) await sandbox.place(sandbox.cached(name), fakeProgram(name));
    expect(await run('--all-for-tests', '--print')).toBe(1);
    expect(out).toBe(`${sandbox.cached('xray')}\n${sandbox.cached('sing-box-1.11')}\n`);
    expect(err).toContain('\n\nsing-box 1.14.1 is not available:\n  SING_BOX_EXECUTABLE_PATH: not set\n');
    expect(err).toContain('\n\nmihomo 1.19.29 is not available:\n  MIHOMO_EXECUTABLE_PATH: not set\n');
  });

  it.each([
    [['v2ray'], '"v2ray" is not one of xray, sing-box, sing-box-1.11, mihomo.'],
    [['xray', 'mihomo'], 'One program at a time, but "xray mihomo" was given.'],
    [['xray', '--all-for-tests'], '"--all-for-tests" takes no program, but "xray" was given.'],
    [['--force'], "Unknown option '--force'"],
  ])('the arguments %j are refused', async (args, problem) => {
    expect(await run(...args)).toBe(2);
    expect(err.startsWith(problem)).toBe(true);
    expect(err).toContain('Programs: xray (26.3.27), sing-box (1.14.1), sing-box-1.11 (1.11.15), mihomo (1.19.29).');
    expect(out).toBe('');
  });

  it('--help prints the usage', async () => {
    expect(await run('--help')).toBe(0);
    expect(out).toContain(programs.xray.variable);
  });
});
