import { setTimeout as wait } from 'node:timers/promises';
import type { Deployment, NodePart } from './deployment.js';
import type { Findings } from './findings.js';
import { signal, withDescendants } from './parts/processes.js';
import type { Random } from './random.js';

/** Seconds that the longest faults last. */
export interface Durations {
  readonly partition: number;
}

/** Something that goes wrong, and is right again when the promise resolves; parts may still be starting then. */
export interface Fault {
  readonly name: string;
  /** Why it cannot be done here. */
  readonly skipped?: string;
  happen(): Promise<void>;
}

const FAR_CLOCK_SECONDS = 3_600;
/** The node kills an engine that has not answered for three seconds, and starts another one. */
const [BRIEF_STOP_MS, LONG_STOP_MS] = [1_000, 6_000];

/** All faults, on parts that are chosen when they happen. */
export function faultsOf(
  deployment: Deployment,
  findings: Findings,
  random: Random,
  { partition }: Durations,
): Fault[] {
  const node = () => random.pick(deployment.nodes);
  const management = () => random.pick(deployment.managements);
  const soon = () => random.between(200, 2_000);
  const some = () => wait(random.between(2_000, 6_000));
  const database = () => (deployment.postgres.pid === undefined ? [] : withDescendants(deployment.postgres.pid));

  const stopped = (name: string, part: () => { suspend(): void; resume(): void }): Fault => ({
    name: `SIGSTOP of ${name}`,
    happen: async () => {
      const target = part();
      target.suspend();
      await some();
      target.resume();
    },
  });
  const stoppedEngine = (name: string, kind: 'killed' | 'suspended', lastsMs: number): Fault => ({
    name: `SIGSTOP of an engine ${name}`,
    happen: async () => {
      const { index, engines } = node();
      const pids = engines();
      findings.disturb(index, kind);
      signal(pids, 'SIGSTOP');
      await wait(lastsMs);
      signal(pids, 'SIGCONT');
    },
  });
  const onLink = (name: string, begin: (link: NonNullable<NodePart['place']['link']>) => void, last = some): Fault => ({
    name,
    ...(deployment.nodes.some(({ place }) => place.link === undefined) && {
      skipped: 'it needs network namespaces and iptables',
    }),
    happen: async () => {
      const { link } = node().place;
      if (link === undefined) return;
      begin(link);
      await last();
      link.heal();
    },
  });
  const onDisk = (name: string, disk: () => Deployment['databaseDisk']): Fault => ({
    name: `full disk of ${name}`,
    ...(disk().fill === undefined && { skipped: 'it needs the right to mount' }),
    happen: async () => {
      const target = disk();
      target.fill?.();
      await some();
      target.empty();
    },
  });
  const onClock = (name: string, clock: () => NodePart['clock'], seconds: number): Fault => ({
    name: `clock of ${name} ${seconds < 0 ? 'back' : 'ahead'} by an hour`,
    ...(clock().jump === undefined && { skipped: 'it needs libfaketime (Debian: faketime)' }),
    happen: async () => {
      const { jump } = clock();
      jump?.(seconds);
      await some();
      jump?.(0);
    },
  });

  return [
    { name: 'kill -9 of a management', happen: async () => management().program.kill(soon()) },
    { name: 'kill -9 of a node', happen: async () => node().program.kill(soon()) },
    { name: 'kill -9 of PostgreSQL', happen: async () => signal(database().slice(0, 1), 'SIGKILL') },
    {
      name: 'kill -9 of an engine',
      happen: async () => {
        const { index, engines } = node();
        findings.disturb(index, 'killed');
        signal(engines(), 'SIGKILL');
      },
    },
    stopped('a management', () => management().program),
    stopped('a node', () => node().program),
    stopped('PostgreSQL', () => {
      const pids = database();
      return { suspend: () => signal(pids, 'SIGSTOP'), resume: () => signal(pids, 'SIGCONT') };
    }),
    stoppedEngine('briefly', 'suspended', BRIEF_STOP_MS),
    stoppedEngine('until the node replaces it', 'killed', LONG_STOP_MS),
    onDisk('a node', () => node().disk),
    onDisk('PostgreSQL', () => deployment.databaseDisk),
    ...[FAR_CLOCK_SECONDS, -FAR_CLOCK_SECONDS].flatMap((seconds) => [
      onClock('a management', () => management().clock, seconds),
      onClock('a node', () => node().clock, seconds),
    ]),
    onLink(
      `partition of ${partition} s`,
      (link) => link.cut(),
      () => wait(partition * 1_000),
    ),
    onLink('5 % loss', (link) => link.loseShare(0.05)),
    onLink('lost answers', (link) => link.loseAnswers()),
    onLink('half-open connections', (link) => link.leaveHalfOpen()),
    {
      name: '200 ms of delay',
      ...(deployment.nodes.some(({ place }) => place.delay === undefined) && {
        skipped: 'it needs network namespaces and netem',
      }),
      happen: async () => {
        const { delay } = node().place;
        delay?.(200);
        await some();
        delay?.(0);
      },
    },
  ];
}
