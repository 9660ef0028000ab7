import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buildNode } from '../testing/nodes/node-program.js';
import { Journal } from './journal.js';

const KEYS = 7;
const ROUNDS = 25;
const JOURNAL = new URL('../../dist/storage/journal.js', import.meta.url);
const FORMAT = { name: 'numbers', version: 1, title: 'the numbers' };

/** Writes one number after another into a ring of places, prints each, and rewrites the file now and then. */
const WRITER = `
import { writeSync } from 'node:fs';
import { Journal } from ${JSON.stringify(JOURNAL)};
const say = (word, number) => writeSync(1, word + ' ' + number + '\\n');
const last = new Map();
const record = (number) => Buffer.from(number + ' ' + 'x'.repeat(Math.random() * 60_000));
const { journal } = await Journal.open(
  { ...${JSON.stringify(FORMAT)}, path: process.argv[1], snapshot: () => [...last.values()].map(record), onWarning: () => {} },
  (bytes) => { const number = parseInt(bytes.toString('latin1', 0, 12)); last.set(number % ${KEYS}, number); },
);
for (let number = Math.max(0, ...last.values()) + 1; ; number += 1) {
  last.set(number % ${KEYS}, number);
  say('says', number);
  const kept = Math.random() < 0.05 ? journal.rewriteFromSnapshot() : journal.appendRecords([record(number)], { durable: Math.random() < 0.1 });
  const done = kept.then((kept) => { if (kept) say('kept', number); });
  if (Math.random() < 0.7) await done;
}
`;

/** Every place has the latest number that belongs there: no other state ever existed. */
function stateAfter(number: number): number[] {
  return Array.from({ length: Math.min(number, KEYS) }, (_, index) => number - index).sort((a, b) => a - b);
}

describe('Journal of a program that is killed', () => {
  let directory: string;
  const writers: ChildProcess[] = [];

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'rampart-journal-'));
    await buildNode();
  });
  afterAll(async () => {
    for (const writer of writers) writer.kill('SIGKILL');
    await rm(directory, { recursive: true, force: true });
  });

  const load = async (path: string): Promise<number[]> => {
    const last = new Map<number, number>();
    const { journal, intact } = await Journal.open(
      { ...FORMAT, path, snapshot: () => [], onWarning: () => undefined },
      (record) => {
        const number = Number.parseInt(Buffer.from(record).toString('latin1', 0, 12), 10);
        last.set(number % KEYS, number);
      },
    );
    await journal.close();
    expect(intact).toBe(true);
    return [...last.values()].sort((a, b) => a - b);
  };

  it('the journal of a killed program has a state that existed, with every record that was confirmed', async () => {
    const path = join(directory, 'numbers');
    let before = 0;
    let grew = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const writer = spawn(process.execPath, ['--input-type=module', '--eval', WRITER, path]);
      writers.push(writer);
      let said = '';
      writer.stdout.on('data', (chunk: Buffer) => {
        said += chunk;
      });
      await once(writer.stdout, 'data');
      await setTimeout(Math.random() * 100);
      writer.kill('SIGKILL');
      await once(writer, 'close');
      const numbers = (word: string) =>
        Array.from(said.matchAll(new RegExp(`^${word} (\\d+)$`, 'gm')), ([, number]) => Number(number));
      const state = await load(path);
      const newest = state.at(-1) ?? 0;
      expect(state).toEqual(stateAfter(newest));
      expect(newest).toBeGreaterThanOrEqual(Math.max(before, ...numbers('kept')));
      expect(newest).toBeLessThanOrEqual(Math.max(before, ...numbers('says')));
      if (newest > before) grew += 1;
      before = newest;
    }
    expect(grew).toBeGreaterThan(ROUNDS / 2);
  });
});
