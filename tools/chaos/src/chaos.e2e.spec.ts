import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { eventually } from '@rampart/testing';
import { processesOf } from './parts/processes.js';
import { type Report, Run } from './run.js';
import { World } from './world.js';

const number = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise);

const SECONDS = number('RAMPART_CHAOS_SECONDS', 120);
const SEED = number('RAMPART_CHAOS_SEED', 1);
const LONG_RUN_SECONDS = 300;
const LOGS = join(import.meta.dirname, '../dist/logs');
const BY_HAND = process.env['RAMPART_CHAOS_SECONDS'] !== undefined;

jest.setTimeout(SECONDS * 1_000 + 600_000);

let world: World;
let report: Report;

beforeAll(async () => {
  world = await World.start({
    nodes: number('RAMPART_CHAOS_NODES', 2),
    managements: number('RAMPART_CHAOS_MANAGEMENTS', 2),
  });
  const options = {
    seed: SEED,
    seconds: SECONDS,
    partitionSeconds: SECONDS >= LONG_RUN_SECONDS ? 60 : 15,
    only: new RegExp(process.env['RAMPART_CHAOS_FAULTS'] ?? ''),
    drainSeconds: 2,
  };
  report = await new Run(world, options, (line) => void (BY_HAND && process.stdout.write(`${line}\n`))).start();
  process.stdout.write(`\n${report.table}\n\n`);
  if (report.broken.length + report.misbooked.length === 0) return;
  world.saveOutput(LOGS);
  process.stdout.write(`What the programs said is in ${LOGS}\n`);
});

afterAll(() => world?.end());

describe(`chaos of ${SECONDS} s with seed ${SEED}`, () => {
  it('cuts no connection but by a kill of the engine, lets in who should pass and nobody else, and loses no confirmed change', () => {
    expect(report.broken).toEqual([]);
  });

  it('books for every user between what both ends received and what both ends sent, but for a reading before an engine kill', () => {
    expect(report.misbooked).toEqual([]);
  });

  it('leaves no process behind when it ends', async () => {
    await world.end();
    await eventually('every process has ended', () => processesOf(world.folder).length === 0);
  });
});
