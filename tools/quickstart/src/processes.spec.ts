import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants, getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { OperatorError } from '@rampart/program';
import { eventually } from '@rampart/testing';
import { Processes } from './processes.js';

/** Writes what happens to it into a file: its start, and SIGTERM. */
const PROGRAM = `
  const { appendFileSync } = require('node:fs');
  const note = (text) => appendFileSync(process.env.EVENTS, text + ' ' + process.pid + '\\n');
  process.on('SIGTERM', () => { note('ended'); process.exit(0); });
  note('started');
  setInterval(() => {}, 1000);`;

describe(Processes.name, () => {
  let folder: string;
  let processes: Processes;
  const failures: string[] = [];

  const path = (name: string) => join(folder, name);
  const events = () => readFileSync(path('events'), 'utf8').split('\n').slice(0, -1);
  const happened = (count: number) => eventually(`${count} events`, (saw) => saw(events()).length >= count && events());
  const names = () => events().map((event) => event.split(' ')[0]);
  const env = () => ({ EVENTS: path('events') });

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'rampart-processes-'));
    writeFileSync(path('program.cjs'), PROGRAM);
    writeFileSync(path('events'), '');
    failures.length = 0;
    processes = new Processes((error: OperatorError) => failures.push(error.message));
  });
  afterEach(async () => {
    await processes.stop();
    rmSync(folder, { recursive: true });
    jest.restoreAllMocks();
  });

  it('restart ends a program before it is started again, as often as it is asked', async () => {
    processes.start('one', path('program.cjs'), env());
    await happened(1);
    processes.restart('one');
    await happened(3);
    processes.restart('one');
    await happened(5);
    expect(names()).toEqual(['started', 'ended', 'started', 'ended', 'started']);
    expect(new Set(events().map((event) => event.split(' ')[1])).size).toBe(3);
    expect(failures).toEqual([]);
  });

  it('a program that was not started is not restarted', async () => {
    processes.restart('one');
    processes.start('two', path('program.cjs'), env());
    await happened(1);
    expect(names()).toEqual(['started']);
  });

  it('a program that ends by itself is a failure', async () => {
    writeFileSync(path('program.cjs'), 'process.exit(3);');
    processes.start('one', path('program.cjs'), env());
    await eventually('the failure', (saw) => saw(failures).length > 0);
    expect(failures).toEqual(['one ended with code 3; its output is above.']);
  });

  it('a program under development that ends by itself is no failure, and runs again after a restart', async () => {
    const printed = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    writeFileSync(path('program.cjs'), 'process.exit(3);');
    processes.start('one', path('program.cjs'), env(), { restarts: true });
    await eventually('the message', (saw) => saw(printed.mock.calls).length > 0);
    expect(printed.mock.calls).toEqual([
      ['one ended with code 3; its output is above. It is started again after the next change.'],
    ]);
    writeFileSync(path('program.cjs'), PROGRAM);
    processes.restart('one');
    await happened(1);
    expect(failures).toEqual([]);
  });

  it('stop ends the programs in reverse order, one that is being restarted too', async () => {
    processes.start('one', path('program.cjs'), env());
    await happened(1);
    processes.start('two', path('program.cjs'), env());
    await happened(2);
    processes.restart('two');
    await happened(3);
    await processes.stop();
    const [one, two] = events().map((event) => event.split(' ')[1]);
    const ended = events().filter((event) => event.startsWith('ended'));
    expect(ended[0]).toBe(`ended ${two}`);
    expect(ended.at(-1)).toBe(`ended ${one}`);
    const started = events().filter((event) => event.startsWith('started'));
    expect(ended.map((event) => event.split(' ')[1]).sort()).toEqual(
      started.map((event) => event.split(' ')[1]).sort(),
    );
  });

  it('a program of low priority leaves the processors to the programs of other sessions', async () => {
    processes.start('A program', path('program.cjs'), env(), { priority: constants.priority.PRIORITY_LOW });
    const [started] = await happened(1);
    const pid = Number(started?.split(' ')[1]);
    expect(getPriority(pid)).toBe(19);
    if (existsSync('/proc/self/autogroup'))
      expect(readFileSync(`/proc/${pid}/autogroup`, 'utf8')).toMatch(/^\/autogroup-\d+ nice 19\n$/);
  });
});
