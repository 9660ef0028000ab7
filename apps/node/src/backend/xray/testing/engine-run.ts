import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { enginePath, eventually } from '@rampart/testing';
import { EngineApi } from '../api/engine-api.js';
import { InboundTemplates } from '../api/inbound-template.js';
import { type EnginePlan, planConfig } from '../config/engine-plan.js';
import { renderConfig } from '../config/render-config.js';
import { convertConfig } from '../process/convert-config.js';
import { EngineProcess, type Exit } from '../process/engine-process.js';
import { clientJson } from '../users/client-json.js';
import { newGuard } from '../users/guards.js';
import type { Member } from '../users/user-directory.js';

const CHANNEL = { tag: '~rampart-api-test', inboundTag: '~rampart-in-test' };

/** The real engine with a configuration as the node would run it, but without the node. */
export class EngineRun {
  private constructor(
    readonly plan: EnginePlan,
    readonly api: EngineApi,
    readonly templates: InboundTemplates,
    private readonly process: EngineProcess,
    private readonly dir: string,
  ) {}

  static async open(config: object, members: (tag: string) => Iterable<Member> = () => []): Promise<EngineRun> {
    const dir = await mkdtemp(join(tmpdir(), 'rampart-engine-'));
    const plan = planConfig({ text: JSON.stringify(config), excludedInbounds: [] });
    const socketPath = join(dir, 'api.sock');
    const render = (users: (tag: string) => Iterable<Member>) =>
      renderConfig(plan, { ...CHANNEL, socketPath }, (inbound) => {
        const guards = inbound.protocol === 'shadowsocks-2022' ? [newGuard(inbound)] : [];
        return [...guards, ...users(inbound.tag)].map(({ email, account }) => clientJson(email, account));
      });
    const engine = { path: enginePath(), environment: {} };
    const stdin = render(members);
    const process = new EngineProcess({ ...engine, args: ['run', '-c', 'stdin:'], wrapper: [], stdin });
    const templates = new InboundTemplates(plan.inbounds, () =>
      convertConfig({ ...engine, dir, tree: plan.tree, text: [...render(() => [])].join('') }),
    );
    const run = new EngineRun(plan, new EngineApi(socketPath), templates, process, dir);
    await eventually('the engine answers', () => run.answers());
    return run;
  }

  get exited(): Promise<Exit> {
    return this.process.exited;
  }

  async close(): Promise<void> {
    this.api.close();
    this.process.kill('SIGKILL');
    await this.process.exited;
    await rm(this.dir, { recursive: true, force: true });
  }

  private async answers(): Promise<boolean> {
    try {
      await this.api.ready(1000);
      return true;
    } catch {
      return false;
    }
  }
}
