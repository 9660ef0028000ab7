import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { enginePath, eventually } from '@rampart/testing';
import { EngineApi } from '../api/engine-api.js';
import { type EnginePlan, planConfig } from '../config/plan/engine-plan.js';
import { newApiChannel, skeletonConfig } from '../engine/engine-config.js';
import { CompiledConfig } from '../messages/compiled-config.js';
import type { InboundTemplates } from '../messages/inbound-template.js';
import { EncodedUsers } from '../messages/inbound-users.js';
import { convertConfig } from '../preflight/convert-config.js';
import { EngineProcess, type Exit } from '../process/engine-process.js';
import type { InboundMember } from '../users/user-directory.js';

/** The real engine with a configuration as the node would run it, without the node. */
export class EngineFixture {
  private constructor(
    readonly plan: EnginePlan,
    readonly api: EngineApi,
    readonly templates: InboundTemplates,
    private readonly process: EngineProcess,
    private readonly dir: string,
  ) {}

  static async open(
    config: object,
    members: (tag: string) => Iterable<InboundMember> = () => [],
  ): Promise<EngineFixture> {
    const dir = await mkdtemp(join(tmpdir(), 'rampart-engine-'));
    const plan = planConfig({ text: JSON.stringify(config), excludedInbounds: [] });
    const channel = newApiChannel(dir);
    const question = {
      ...{ path: enginePath(), environment: {}, tree: plan.tree, signal: new AbortController().signal },
      text: skeletonConfig(plan, channel),
    };
    const compiled = new CompiledConfig(plan.inbounds, await convertConfig(question, dir));
    const process = new EngineProcess({
      ...{ path: enginePath(), environment: {}, wrapper: [] },
      args: ['run', '-format', 'pb', '-c', 'stdin:'],
    });
    const written = new EncodedUsers(plan.inbounds);
    for (const inbound of plan.inbounds.values()) {
      for (const member of members(inbound.tag)) written.addSteps([{ ...member, inbound }]);
    }
    process.writeInput(compiled.encodeWithUsers(written, new Set()));
    const run = new EngineFixture(plan, new EngineApi(channel.socketPath), compiled.templates, process, dir);
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
      await this.api.waitUntilReady(1000);
      return true;
    } catch {
      return false;
    }
  }
}
