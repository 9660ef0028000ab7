import { randomBytes } from 'node:crypto';
import { access, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { NodeError } from '../../errors/node-error.js';
import { SerialQueue } from '../../serial-queue.js';
import type { TrafficReading } from '../backend.js';
import { readingOf } from './api/counters.js';
import { EngineApi } from './api/engine-api.js';
import type { EnginePlan } from './config/engine-plan.js';
import type { Json } from './config/json-tree.js';
import { type ApiChannel, renderConfig } from './config/render-config.js';
import { EngineProcess, type Exit, exitText } from './process/engine-process.js';
import { engineWords } from './process/engine-words.js';
import { API_INBOUND_PREFIX, API_TAG_PREFIX } from './reserved.js';
import { clientJson } from './users/client-json.js';
import { Guards } from './users/guards.js';
import { UserDirectory } from './users/user-directory.js';

export interface EngineLaunch {
  readonly path: string;
  readonly wrapper: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Of this run alone; removed after it. */
  readonly runDir: string;
  readonly plan: EnginePlan;
  readonly directory: UserDirectory;
  readonly onLine: (line: string) => void;
}

/** 100,000 users on five inbounds took seven seconds on two cores. */
const READY_WITHIN_MS = 90_000;
const POLL_MS = 15;
const ANSWER_WITHIN_MS = 1000;
const END_PATIENCE_MS = 3000;

/** One run of the engine, from an API that answers until its end. */
export class Engine {
  private readonly readings = new SerialQueue();

  private constructor(
    readonly api: EngineApi,
    readonly guards: Guards,
    private readonly process: EngineProcess,
    private readonly socketPath: string,
  ) {}

  /** START_FAILED with the engine's own words when it does not come up. */
  static async launch({ path, wrapper, environment, runDir, plan, directory, onLine }: EngineLaunch): Promise<Engine> {
    const channel = newChannel(runDir);
    const guards = new Guards();
    const stdin = renderConfig(plan, channel, clientLists(plan, directory, guards));
    const own = [channel.tag, channel.inboundTag, channel.socketPath];
    const isOwn = (line: string) => own.some((text) => line.includes(text));
    const engineProcess = new EngineProcess(
      { path, args: ['run', '-c', 'stdin:'], environment, wrapper, stdin },
      (line) => isOwn(line) || onLine(line),
    );
    const engine = new Engine(new EngineApi(channel.socketPath), guards, engineProcess, channel.socketPath);
    const problem = await engine.whenReady();
    if (problem === undefined) return engine;
    engineProcess.kill('SIGKILL');
    await engineProcess.exited;
    await engine.cleanUp();
    throw new NodeError('START_FAILED', `the engine ${problem}: ${engineWords(engineProcess.output, plan.tree)}`);
  }

  /** When it has ended, for whatever reason. */
  get exited(): Promise<Exit> {
    return this.process.exited;
  }

  get pid(): number | undefined {
    return this.process.pid;
  }

  /** Bytes since the reading before. One at a time: none may be under way when the engine is ended. @throws EngineSilence */
  read(deadlineMs?: number): Promise<TrafficReading> {
    return this.readings.run(async () => readingOf(await this.api.takeCounters(deadlineMs)));
  }

  /** Ends it without asking. */
  kill(): void {
    this.process.kill('SIGKILL');
  }

  async end(): Promise<void> {
    await this.process.end(END_PATIENCE_MS);
    await this.cleanUp();
  }

  async cleanUp(): Promise<void> {
    this.api.close();
    await rm(dirname(this.socketPath), { recursive: true, force: true });
  }

  /** What went wrong instead, if anything. */
  private async whenReady(): Promise<string | undefined> {
    const exit = this.process.exited;
    const deadline = performance.now() + READY_WITHIN_MS;
    while (performance.now() < deadline) {
      const outcome = await Promise.race([exit, this.answers()]);
      if (typeof outcome !== 'boolean') return exitText(outcome);
      if (outcome) return undefined;
      await setTimeout(POLL_MS);
    }
    return `did not come up within ${READY_WITHIN_MS / 1000} s`;
  }

  /** The socket is there first, and a connection that the API does not take yet is dropped. */
  private async answers(): Promise<boolean> {
    try {
      await access(this.socketPath);
      await this.api.ready(ANSWER_WITHIN_MS);
      return true;
    } catch {
      return false;
    }
  }
}

function newChannel(runDir: string): ApiChannel {
  return {
    tag: `${API_TAG_PREFIX}${randomBytes(16).toString('hex')}`,
    inboundTag: `${API_INBOUND_PREFIX}${randomBytes(16).toString('hex')}`,
    socketPath: join(runDir, 'api.sock'),
  };
}

/** The configuration's users, all in one pass: with many users one per inbound would be the most of a start. */
function clientLists(plan: EnginePlan, directory: UserDirectory, guards: Guards): (inbound: { tag: string }) => Json[] {
  const lists = new Map<string, Json[]>();
  for (const inbound of plan.inbounds.values()) {
    const guard = inbound.protocol === 'shadowsocks-2022' ? guards.next(inbound) : undefined;
    lists.set(inbound.tag, guard === undefined ? [] : [clientJson(guard.email, guard.account)]);
  }
  for (const user of directory.all()) {
    for (const { inbound, account } of directory.memberships(user)) {
      lists.get(inbound.tag)?.push(clientJson(user.email, account));
    }
  }
  return ({ tag }) => lists.get(tag) ?? [];
}

/** The configuration as it would run without any user, for the engine's own check. */
export function skeletonConfig(plan: EnginePlan): string {
  const nobody = new UserDirectory(plan.inbounds);
  return renderConfig(plan, newChannel('/'), clientLists(plan, nobody, new Guards()));
}
