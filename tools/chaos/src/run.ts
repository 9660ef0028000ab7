import { setTimeout as wait } from 'node:timers/promises';
import { eventually } from '@rampart/testing';
import { allUsers, Changer } from './changer.js';
import type { Deployment } from './deployment.js';
import { type Fault, faultsOf } from './faults.js';
import { Findings } from './findings.js';
import { Observer } from './observer.js';
import { Random } from './random.js';
import { keyOf } from './traffic/client-engine.js';
import type { Subject } from './users/subject.js';
import type { User } from './users/user.js';

export interface RunOptions {
  readonly seed: number;
  /** How long new faults are begun. Every fault happens once in any case; later ones also come in pairs. */
  readonly seconds: number;
  readonly partitionSeconds: number;
  /** Only faults whose names match happen. */
  readonly only: RegExp;
  /** Seconds between two readings of the engine's counters: what a killed engine may lose. */
  readonly drainSeconds: number;
}

/** What a run has found; each list of broken promises is empty when all is well. */
export interface Report {
  readonly table: string;
  /** Connections that passed, failed or were cut against the rules, and changes that were lost. */
  readonly broken: readonly string[];
  /** Users of whom the booked bytes lie outside what went through and what was sent. */
  readonly misbooked: readonly string[];
}

/** Time within which everything is as wanted after a fault has ended. */
const CONVERGES_WITHIN_MS = 60_000;
const TRY_WITHIN_MS = 1_500;
const BOOKED_WITHIN_MS = 60_000;
/** The interval between two readings is one second; on a machine with much other work the next one comes up to two seconds late. */
const READING_MS = 3_000;

/** Lets faults happen, and checks after each that everything becomes as wanted again. */
export class Run {
  private readonly findings = new Findings();
  private readonly random: Random;
  private readonly observer: Observer;
  private readonly changer: Changer;
  private readonly recoveries = new Map<string, number[]>();

  constructor(
    private readonly deployment: Deployment,
    private readonly options: RunOptions,
    private readonly say: (line: string) => void,
  ) {
    this.random = new Random(options.seed);
    const apis = deployment.managements.map(({ api }) => api);
    const nodes = deployment.nodes.map(({ index }) => index);
    this.changer = new Changer(deployment.population, apis, new Random(options.seed + 1));
    this.observer = new Observer(deployment.clients, deployment.book, this.findings, deployment.population, nodes);
  }

  async start(): Promise<Report> {
    const { seconds, partitionSeconds, only } = this.options;
    const durations = { partition: partitionSeconds };
    const faults = faultsOf(this.deployment, this.findings, this.random, durations).filter(({ name }) =>
      only.test(name),
    );
    for (const { name, skipped } of faults) if (skipped !== undefined) this.say(`skipped: ${name}: ${skipped}`);
    const possible = faults.filter(({ skipped }) => skipped === undefined);
    try {
      await this.converge();
      const until = Date.now() + seconds * 1_000;
      for (const fault of this.random.shuffled(possible)) await this.round(fault.name, [fault]);
      while (Date.now() < until) {
        const [first, second] = this.random.shuffled(possible);
        if (first === undefined) break;
        if (second === undefined || this.random.next() < 0.5) await this.round(first.name, [first]);
        else await this.round('two faults at once', [first, second]);
      }
    } finally {
      await this.observer.end();
    }
    const misbooked = await this.misbooked();
    return { table: this.table(), broken: this.findings.broken, misbooked };
  }

  private async round(name: string, faults: readonly Fault[]): Promise<void> {
    this.changer.resume();
    await Promise.all(faults.map((fault) => fault.happen()));
    const ended = Date.now();
    await this.changer.pause();
    await this.converge();
    const taken = Date.now() - ended;
    this.recoveries.set(name, [...(this.recoveries.get(name) ?? []), taken]);
    const names = faults.map((fault) => fault.name).join(' and ');
    this.say(`${this.findings.clock()} s: ${names}: everything is as wanted after ${(taken / 1000).toFixed(1)} s`);
  }

  /** Waits until exactly those get through who should, and checks that every confirmed change is stored. */
  private async converge(): Promise<void> {
    const { population, nodes } = this.deployment;
    for (const subject of [...allUsers(population), population.edited]) await this.checkStored(subject);
    await Promise.all(
      nodes.map(async ({ index }) => {
        await Promise.all(allUsers(population).map((user) => this.isAsWanted(user, index)));
        for (const disturbance of this.findings.disturbances)
          if (disturbance.node === index) disturbance.to = Math.min(disturbance.to, Date.now());
      }),
    );
  }

  private async checkStored(subject: Subject): Promise<void> {
    const what = `an answer to GET ${subject.path}`;
    const stored = await eventually(
      what,
      async () => answerOf(await subject.isStored(this.deployment.api)),
      CONVERGES_WITHIN_MS,
    );
    if (stored === 'other') {
      if (!subject.uncertain) this.findings.breaks(`${subject.path} is not stored as it was confirmed`);
      await this.changer.confirm(subject);
    }
    subject.uncertain = false;
  }

  private async isAsWanted(user: User, node: number): Promise<void> {
    const wanted = user.mayUse(node);
    const what = `${user.username} ${wanted ? 'gets' : 'does not get'} through node ${node}`;
    const isRight = async () => (await this.observer.getsThrough(user, node, TRY_WITHIN_MS)) === wanted;
    await eventually(what, isRight, CONVERGES_WITHIN_MS).catch((error) => this.findings.breaks(String(error)));
  }

  /** Waits until every byte is booked; returns the users of whom that never happens. */
  private async misbooked(): Promise<string[]> {
    const { population } = this.deployment;
    // Deletion removes what was booked.
    const users = allUsers(population).filter((user) => !population.recreated.includes(user));
    let problems: string[] = [];
    const until = Date.now() + BOOKED_WITHIN_MS;
    do {
      problems = (await Promise.all(users.map((user) => this.bookingOf(user)))).filter((text) => text !== undefined);
      if (problems.length > 0) await wait(500);
    } while (problems.length > 0 && Date.now() < until);
    return problems;
  }

  private async bookingOf(user: User): Promise<string | undefined> {
    const { used_traffic: booked } = await this.deployment.api.get<{ used_traffic: number }>(user.path);
    let [received, sent, excused] = [0, 0, 0];
    for (const { index } of this.deployment.nodes) {
      const key = keyOf(user.username, index);
      received += this.deployment.book.of(key).received;
      sent += this.deployment.book.of(key).sent;
      for (const killed of this.findings.engineKills(index))
        excused += this.deployment.book.sentBetween(
          key,
          killed - this.options.drainSeconds * 1_000 - READING_MS,
          killed,
        );
    }
    this.totals.set(user.username, { booked, received, sent, excused });
    if (booked >= received - excused && booked <= sent) return undefined;
    const byNode = this.deployment.nodes.map(({ name, index }) => {
      const { received, sent } = this.deployment.book.of(keyOf(user.username, index));
      return `${name} received ${received}, sent ${sent}`;
    });
    const history = JSON.stringify(await this.deployment.api.get(`${user.path}/usage?period=month&group_by_node=true`));
    return `${user.username}: booked ${booked} bytes, received ${received}, of which ${excused} excused by engine kills, sent ${sent} (${byNode.join('; ')}; ${history})`;
  }

  private readonly totals = new Map<string, Record<'booked' | 'received' | 'sent' | 'excused', number>>();

  private table(): string {
    const recoveries = [...this.recoveries].map(([name, times]) => [
      name,
      times.length,
      (median(times) / 1000).toFixed(1),
      (Math.max(...times) / 1000).toFixed(1),
    ]);
    const sum = (column: 'booked' | 'received' | 'sent' | 'excused') =>
      [...this.totals.values()].reduce((total, row) => total + row[column], 0);
    const { streams, tries } = this.observer;
    return [
      table([['fault', 'times', 'median s until all is as wanted', 'longest s'], ...recoveries]),
      table([
        ['seed', this.options.seed],
        ['changes confirmed', this.changer.confirmed],
        ['attempts repeated', this.changer.repeated],
        ['streams opened', this.observer.streams.opened],
        ['streams cut by engine kills', streams.cut],
        ['new connections tried', tries.made],
        ['failed while the engine was killed or suspended', tries.excused],
        ['bytes received at both ends', sum('received')],
        ['bytes booked', sum('booked')],
        ['bytes sent at both ends', sum('sent')],
        ['bytes that engine kills may have lost', sum('excused')],
      ]),
    ].join('\n\n');
  }
}

const answerOf = (isStored: boolean | undefined): 'wanted' | 'other' | undefined =>
  isStored === undefined ? undefined : isStored ? 'wanted' : 'other';

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** Lines of a table whose columns are as wide as their widest cell; the first column stands left, the others right. */
function table(rows: readonly (readonly (string | number)[])[]): string {
  const cells = rows.map((row) => row.map(String));
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((row) => (row[column] ?? '').length)));
  return cells
    .map((row) =>
      row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join('  '),
    )
    .join('\n');
}
