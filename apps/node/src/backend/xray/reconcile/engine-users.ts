import type { RefusedUser } from '@rampart/node-client';
import type { EngineApi } from '../api/engine-api.js';
import type { ManagedInbound } from '../config/managed-inbound.js';
import type { FilledInbound, InboundTemplates } from '../messages/inbound-template.js';
import type { InboundMember } from '../users/user-directory.js';
import type { UserPlan, UserStep } from '../users/user-plan.js';
import { applyUserPlan, type UserCalls } from './change-users.js';
import { chooseStrategy, type Strategy } from './choose-strategy.js';
import { LiveInbounds } from './live-inbounds.js';
import { type InboundCalls, swapInbound } from './swap-inbound.js';

export interface EngineUsersOptions {
  readonly api: UserCalls & InboundCalls & Pick<EngineApi, 'countUsers'>;
  readonly templates: Pick<InboundTemplates, 'templateOf'>;
  /** Told what an operator should know. */
  readonly note: (text: string) => void;
}

/** The part of the user directory that says what is wanted. */
export interface WantedUsers {
  members(tag: string): Iterable<InboundMember>;
  /** Answers what must be removed in the engine. */
  removeUser(email: string): readonly UserStep[];
}

/** The steps on one inbound. */
interface InboundPlan extends UserPlan {
  readonly inbound: ManagedInbound;
}

interface InboundStrategy extends InboundPlan {
  readonly strategy: Strategy;
  /** What it is put up anew with, where that is the strategy. */
  readonly swap?: FilledInbound;
}

/** Fewer changes than this are quicker made than weighed, but on shadowsocks-2022. */
const MIN_CHANGES_TO_WEIGH = 64;

/** What takes less is not worth asking for. */
const MIN_HANDOVER_GAIN_MS = 1000;

/** The users of one run of the engine. */
export class EngineUsers {
  private readonly inbounds: LiveInbounds;

  constructor(private readonly options: EngineUsersOptions) {
    this.inbounds = new LiveInbounds(options.api);
  }

  /** What the engine calls an inbound at this moment. */
  tagOf(tag: string): string {
    return this.inbounds.tagOf(tag);
  }

  /**
   * Brings the engine from what it has to what the directory wants, each inbound in the cheapest safe strategy. Answers whom
   * the engine refuses against our expectation; they are out of the directory and served nowhere. Does nothing and
   * answers `handover` when that would take longer than a whole new engine. The directory must not change meanwhile.
   * @throws EngineSilence, EngineRefusal when nobody knows which users the engine has
   */
  async reconcile(
    plan: UserPlan,
    directory: WantedUsers,
    handoverMs?: () => Promise<number>,
  ): Promise<RefusedUser[] | 'handover'> {
    const weighed: InboundStrategy[] = [];
    for (const part of groupByInbound(plan)) weighed.push(await this.weighStrategies(part, directory));
    const ms = weighed.reduce((sum, { strategy }) => sum + strategy.estimatedMs, 0);
    if (handoverMs !== undefined && ms > MIN_HANDOVER_GAIN_MS && ms > (await handoverMs())) return 'handover';

    const changes: UserPlan = { removals: [], additions: [] };
    for (const { inbound, removals, additions, swap } of weighed) {
      if (swap !== undefined && (await this.swapOrExplain(inbound.tag, swap))) continue;
      for (const step of removals) changes.removals.push(step);
      for (const step of additions) changes.additions.push(step);
    }
    const refused = await applyUserPlan(this.options.api, this.inbounds, changes);
    const removals = refused.flatMap(({ email }) => directory.removeUser(email));
    await applyUserPlan(this.options.api, this.inbounds, { removals, additions: [] });
    return refused;
  }

  private async weighStrategies(plan: InboundPlan, directory: WantedUsers): Promise<InboundStrategy> {
    const { inbound, removals, additions } = plan;
    const { tag, protocol } = inbound;
    const count = removals.length + additions.length;
    if (count < MIN_CHANGES_TO_WEIGH && protocol !== 'shadowsocks-2022')
      return { ...plan, strategy: { kind: 'changes', estimatedMs: 0 } };
    const live = await this.inbounds.inboundOf(tag);
    const strategy = chooseStrategy(inbound, live, plan);
    if (strategy.kind === 'changes') return { ...plan, strategy };
    const next = this.inbounds.unusedTagOf(tag);
    const swap = await this.options.templates.templateOf(tag).fillWith(directory.members(tag), next);
    if (swap.leftOut.length === 0) return { ...plan, strategy, swap };
    // It is remembered, and now the other ways are left.
    live.swapLimit = swap.users + 1;
    return { ...plan, strategy: chooseStrategy(inbound, live, plan) };
  }

  private async swapOrExplain(tag: string, filled: FilledInbound): Promise<boolean> {
    const { api, note } = this.options;
    const problem = await swapInbound(api, this.inbounds, tag, filled);
    if (problem === undefined) return true;
    note(`inbound "${tag}" is not put up anew, its users are changed one by one: ${problem}`);
    return false;
  }
}

function groupByInbound({ removals, additions }: UserPlan): Iterable<InboundPlan> {
  const parts = new Map<string, InboundPlan>();
  const partOf = ({ inbound }: UserStep): InboundPlan => {
    const part = parts.get(inbound.tag) ?? { inbound, removals: [], additions: [] };
    parts.set(inbound.tag, part);
    return part;
  };
  for (const step of removals) partOf(step).removals.push(step);
  for (const step of additions) partOf(step).additions.push(step);
  return parts.values();
}
