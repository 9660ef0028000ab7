import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { eventually } from '@rampart/testing';
import { Deployment } from './deployment.js';
import { processesOf } from './parts/processes.js';
import { type Report, Run } from './run.js';

const number = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise);

const SECONDS = number('RAMPART_CHAOS_SECONDS', 45);
const SEED = number('RAMPART_CHAOS_SEED', 1);
const LONG_RUN_SECONDS = 300;
const LOGS = join(import.meta.dirname, '../dist/logs');
const BY_HAND = process.env['RAMPART_CHAOS_SECONDS'] !== undefined;

jest.setTimeout(SECONDS * 1_000 + 600_000);

let deployment: Deployment;
let report: Report;

beforeAll(async () => {
  deployment = await Deployment.start({
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
  report = await new Run(deployment, options, (line) => void (BY_HAND && process.stdout.write(`${line}\n`))).start();
  process.stdout.write(`\n${report.table}\n\n`);
  if (report.broken.length + report.misbooked.length === 0) return;
  deployment.saveOutput(LOGS);
  process.stdout.write(`What the programs said is in ${LOGS}\n`);
});

afterAll(() => deployment?.end());

describe(`chaos of ${SECONDS} s with seed ${SEED}`, () => {
  it('a run of chaos cuts no connection but by a kill of the engine, lets in who should pass and nobody else, and loses no confirmed change', () => {
    expect(report.broken).toEqual([]);
  });

  it('a run of chaos books every user between what both ends received and what both ends sent, but for a reading before an engine kill', () => {
    expect(report.misbooked).toEqual([]);
  });

  it('a run of chaos leaves no process behind when it ends', async () => {
    await deployment.end();
    await eventually('every process has ended', (saw) => saw(processesOf(deployment.folder)).length === 0);
  });
});
