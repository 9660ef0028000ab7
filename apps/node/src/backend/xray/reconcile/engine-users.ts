import type { RefusedUser } from '@rampart/node-client';
import type { EngineApi } from '../api/engine-api.js';
import type { ManagedInbound } from '../config/managed-inbound.js';
import type { FilledInbound, InboundTemplates } from '../messages/inbound-template.js';
import type { InboundMember } from '../users/user-directory.js';
import type { UserPlan, UserStep } from '../users/user-plan.js';
import { applyUserPlan, type UserCalls } from './change-users.js';
import { chooseStrategy, type Strategy } from './choose-strategy.js';
import { type LiveInbound, LiveInbounds } from './live-inbounds.js';
import { type InboundCalls, swapInbound } from './swap-inbound.js';

export interface EngineUsersOptions {
  readonly api: UserCalls & InboundCalls & Pick<EngineApi, 'countUsers'>;
  readonly templates: Pick<InboundTemplates, 'templateOf'>;
  /** Logs a message for operators. */
  readonly note: (text: string) => void;
  /** What is known of the inbounds of an engine that was not started by this node. */
  readonly inbounds?: ReadonlyMap<string, Omit<LiveInbound, 'swapLimit'>> | undefined;
}

/** The part of the user directory that is needed here. */
export interface WantedUsers {
  members(tag: string): Iterable<InboundMember>;
  /** Returns what must be removed in the engine. */
  removeUser(email: string): readonly UserStep[];
}

/** The changes on one inbound. */
interface InboundPlan extends UserPlan {
  readonly inbound: ManagedInbound;
}

interface InboundStrategy extends InboundPlan {
  readonly strategy: Strategy;
  /** The inbound that replaces the current one, when the strategy is a swap. */
  readonly swap?: FilledInbound;
}

/** Except on shadowsocks-2022, fewer changes than this are applied without comparing strategies. */
const MIN_CHANGES_TO_WEIGH = 64;

/** Changes that take less time are not compared with a handover. */
const MIN_HANDOVER_GAIN_MS = 1000;

/** Brings the users of one run of the engine up to date. */
export class EngineUsers {
  private readonly inbounds: LiveInbounds;

  constructor(private readonly options: EngineUsersOptions) {
    this.inbounds = new LiveInbounds(options.api, options.inbounds);
  }

  /** The current tag of an inbound in the engine. */
  tagOf(tag: string): string {
    return this.inbounds.tagOf(tag);
  }

  /**
   * Brings the engine to the users of the directory, each inbound by the cheapest safe strategy. Returns users that the
   * engine unexpectedly refuses; they are removed from the directory and served nowhere. Returns `handover` and changes
   * nothing when a whole new engine would be faster. The directory must not change meanwhile.
   * @throws EngineNotAnswering, EngineRefusal when it is unknown which users the engine has
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
    // The limit is remembered, and the strategy is chosen again without a swap.
    live.swapLimit = swap.users + 1;
    return { ...plan, strategy: chooseStrategy(inbound, live, plan) };
  }

  private async swapOrExplain(tag: string, filled: FilledInbound): Promise<boolean> {
    const { api, note } = this.options;
    const problem = await swapInbound(api, this.inbounds, tag, filled);
    if (problem === undefined) return true;
    note(`inbound "${tag}" was not replaced, its users are changed one by one: ${problem}`);
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
