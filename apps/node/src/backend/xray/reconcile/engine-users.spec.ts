import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ManagedInbound } from '../config/managed-inbound.js';
import { EngineDouble } from '../testing/engine-double.js';
import type { Account } from '../users/account.js';
import type { InboundMember } from '../users/user-directory.js';
import type { UserPlan } from '../users/user-plan.js';
import { EngineUsers } from './engine-users.js';

const IN_2022: ManagedInbound = {
  ...{ tag: 'in', handover: 'shared', protocol: 'shadowsocks-2022', method: '2022-blake3-aes-128-gcm' },
};
const IN_VLESS: ManagedInbound = { tag: 'in', handover: 'shared', protocol: 'vless', vision: false, flow: '' };
const GUARD = '~rampart-guard-first';

function accountOf({ protocol }: ManagedInbound, email: string): Account {
  if (protocol === 'vless') return { protocol, id: email, flow: '' };
  return { protocol: 'shadowsocks-2022', key: email };
}

/** The wanted users of one inbound, and the plan that leads from the previous users to them. */
class Wanted {
  private readonly users: Map<string, InboundMember>;
  readonly plan: UserPlan;

  constructor(
    private readonly inbound: ManagedInbound,
    before: readonly string[],
    after: readonly string[],
    changed: ReadonlySet<string> = new Set(),
  ) {
    const stays = new Set(before.filter((email) => after.includes(email) && !changed.has(email)));
    const steps = (emails: readonly string[]) =>
      emails
        .filter((email) => !stays.has(email))
        .map((email) => ({ email, inbound, account: accountOf(inbound, email) }));
    this.users = new Map(after.map((email) => [email, { email, account: accountOf(inbound, email) }]));
    this.plan = { removals: steps(before), additions: steps(after) };
  }

  get emails(): string[] {
    return [...this.users.keys()].sort();
  }

  members(): Iterable<InboundMember> {
    return this.users.values();
  }

  removeUser(email: string) {
    const member = this.users.get(email);
    this.users.delete(email);
    return member === undefined ? [] : [{ ...member, inbound: this.inbound }];
  }
}

const names = (count: number, from = 0) => Array.from({ length: count }, (_, index) => `${from + index}.user`);

describe(EngineUsers.name, () => {
  it('every strategy ends with exactly the wanted users, and never harms the engine', async () => {
    let swaps = 0;
    const inbound = fc.constantFrom<ManagedInbound>(IN_2022, { ...IN_2022, handover: 'gapped' }, IN_VLESS);
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    const step = fc.record({ leaving: share, coming: fc.nat(60), changing: share, poisoned: fc.nat(2) });
    await fc.assert(
      fc.asyncProperty(
        inbound,
        fc.nat(120),
        fc.array(step, { minLength: 1, maxLength: 5 }),
        fc.boolean(),
        async (on, count, steps, refusesInbounds) => {
          let now = names(count);
          let next = count;
          const engine = new EngineDouble(on, on === IN_VLESS ? now : [GUARD, ...now]);
          engine.refusesInbounds = refusesInbounds;
          const users = new EngineUsers(engine);
          for (const { leaving, coming, changing, poisoned } of steps) {
            const left = now.slice(Math.floor(now.length * leaving));
            const added = names(coming, next);
            next += coming;
            const bad = added.slice(0, poisoned);
            for (const email of bad) engine.poisoned.add(email);
            const changed = new Set(left.slice(0, Math.floor(left.length * changing)));
            const wanted = new Wanted(on, now, [...left, ...added], changed);
            const refused = await users.reconcile(wanted.plan, wanted);
            expect(refused).toEqual(
              bad.map((email) => ({ email, reason: `User ${email} is not to the engine's taste.` })),
            );
            expect(engine.users).toEqual(wanted.emails);
            expect(engine.tags).toEqual([users.tagOf('in')]);
            now = wanted.emails;
          }
          expect(engine.harm).toEqual([]);
          swaps += engine.swaps.length;
        },
      ),
      // Of the first one it is known that the inbound is swapped.
      { numRuns: 60, examples: [[IN_2022, 120, [{ leaving: 0.1, coming: 60, changing: 0, poisoned: 0 }], false]] },
    );
    expect(swaps).toBeGreaterThan(0);
  });

  it('swaps an inbound alternately between the tag and its alias, and later calls use the current one', async () => {
    const engine = new EngineDouble(IN_2022, [GUARD, ...names(100)]);
    const users = new EngineUsers(engine);
    for (const [from, tag] of [
      [0, '~rampart-alias-in'],
      [40, 'in'],
    ] as const) {
      const wanted = new Wanted(IN_2022, names(100 - from, from), names(60 - from, from + 40));
      expect(await users.reconcile(wanted.plan, wanted)).toEqual([]);
      expect([engine.tags, users.tagOf('in')]).toEqual([[tag], tag]);
      const one = new Wanted(IN_2022, wanted.emails, [...wanted.emails, `one after ${from}`]);
      expect(await users.reconcile(one.plan, one)).toEqual([]);
      expect(engine.users).toEqual(one.emails);
      const none = new Wanted(IN_2022, one.emails, wanted.emails);
      expect(await users.reconcile(none.plan, none)).toEqual([]);
      expect(engine.users).toEqual(wanted.emails);
    }
    expect([engine.swaps, engine.harm]).toEqual([['~rampart-alias-in', 'in'], []]);
  });

  it('an addition of a user whom the engine has already is corrected', async () => {
    const before = names(100);
    const engine = new EngineDouble(IN_2022, [GUARD, ...before, 'a', 'b']);
    const wanted = new Wanted(IN_2022, before, [...before, 'a', 'b', 'c']);
    expect(await new EngineUsers(engine).reconcile(wanted.plan, wanted)).toEqual([]);
    expect([engine.users, engine.harm, engine.swaps]).toEqual([wanted.emails, [], []]);
  });

  it('users are changed one by one, with a note, when the inbound cannot be replaced', async () => {
    const engine = new EngineDouble(IN_2022, [GUARD, ...names(100)]);
    engine.refusesInbounds = true;
    const wanted = new Wanted(IN_2022, names(100), names(40));
    expect(await new EngineUsers(engine).reconcile(wanted.plan, wanted)).toEqual([]);
    expect([engine.users, engine.harm, engine.tags]).toEqual([wanted.emails, [], ['in']]);
    expect(engine.notes).toEqual(['inbound "in" was not replaced, its users are changed one by one: failed to listen']);
  });

  it('a swap never exceeds the size of one message, and the number of users that did not fit is remembered', async () => {
    const long = names(4500).map((email) => `${'long '.repeat(100)}${email}`);
    const engine = new EngineDouble(IN_2022, [GUARD, ...long]);
    const users = new EngineUsers(engine);
    const wanted = new Wanted(IN_2022, long, long.slice(8));
    expect(await users.reconcile(wanted.plan, wanted)).toEqual([]);
    const next = new Wanted(IN_2022, wanted.emails, wanted.emails.slice(8));
    expect(await users.reconcile(next.plan, next)).toEqual([]);
    expect([engine.users, engine.harm, engine.swaps, engine.filled]).toEqual([next.emails, [], [], 1]);
    const many = new Wanted(IN_2022, next.emails, next.emails.slice(500));
    expect(await users.reconcile(many.plan, many, async () => 4000)).toBe('handover');
    expect([engine.users, engine.filled]).toEqual([next.emails, 1]);
  });

  it('nothing is changed and a handover is requested when that is faster', async () => {
    const on: ManagedInbound = { ...IN_2022, handover: 'gapped' };
    const engine = new EngineDouble(on, [GUARD, ...names(2000)]);
    const users = new EngineUsers(engine);
    const wanted = new Wanted(on, names(2000), names(1000));
    expect(await users.reconcile(wanted.plan, wanted, async () => 2000)).toBe('handover');
    expect(engine.users).toHaveLength(2000);
    expect(await users.reconcile(wanted.plan, wanted, async () => Number.POSITIVE_INFINITY)).toEqual([]);
    expect([engine.users, engine.harm]).toEqual([wanted.emails, []]);
  });

  it('a user whom the engine refuses on one inbound is served on none, and all others are served on all', async () => {
    const other: ManagedInbound = { ...IN_VLESS, tag: 'other' };
    const engines = { in: new EngineDouble(IN_2022, [GUARD]), other: new EngineDouble(other, []) };
    const on = (tag: string) => (tag === 'in' ? engines.in : engines.other);
    const users = new EngineUsers({
      api: {
        addUser: (tag, email) => on(tag).addUser(tag, email),
        removeUser: (tag, email) => on(tag).removeUser(tag, email),
        addInbound: (message) => on(message.tag).addInbound(message),
        removeInbound: (tag) => on(tag).removeInbound(tag),
        countUsers: (tag) => on(tag).countUsers(tag),
      },
      templates: { templateOf: (tag) => on(tag).templates.templateOf(tag) },
      note: () => undefined,
    });
    const [here, there] = [new Wanted(IN_2022, [], ['a', 'b']), new Wanted(other, [], ['a', 'b'])];
    engines.in.poisoned.add('a');
    const plan = { removals: [], additions: [...here.plan.additions, ...there.plan.additions] };
    const both = {
      members: () => here.members(),
      removeUser: (email: string) => [...here.removeUser(email), ...there.removeUser(email)],
    };
    expect(await users.reconcile(plan, both)).toEqual([{ email: 'a', reason: "User a is not to the engine's taste." }]);
    expect([engines.in.users, engines.other.users]).toEqual([['b'], ['b']]);
    expect([here.emails, there.emails]).toEqual([['b'], ['b']]);
  });
});
