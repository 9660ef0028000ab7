import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { EngineRefusal } from '../api/engine-api.js';
import { isReserved } from '../reserved.js';
import { applyPlan, type UserCalls } from './apply-plan.js';
import { Guards, type Inbound2022 } from './guards.js';
import type { UserStep } from './user-plan.js';

const INBOUND: Inbound2022 = { tag: 'in', protocol: 'shadowsocks-2022', method: '2022-blake3-aes-128-gcm' };
const step = (email: string): UserStep => ({
  ...{ email, inbound: INBOUND, account: { protocol: 'shadowsocks-2022', key: `key of ${email}` } },
});

/** Keeps its users as the engine keeps those of shadowsocks-2022: whoever is removed gives the place to the last one. */
class ListOfUsers implements UserCalls {
  readonly unguarded: string[] = [];

  constructor(readonly emails: string[]) {}

  async addUser(_tag: string, email: string): Promise<void> {
    await turn();
    if (this.emails.includes(email)) throw new EngineRefusal(`proxy/shadowsocks_2022: User ${email} already exists.`);
    this.emails.push(email);
  }

  async removeUser(_tag: string, email: string): Promise<void> {
    await turn();
    const index = this.emails.indexOf(email);
    if (index < 0) throw new EngineRefusal(`proxy/shadowsocks_2022: User ${email} not found.`);
    const last = this.emails.at(-1) ?? '';
    if (!isReserved(last)) this.unguarded.push(`${email} removed before ${last}`);
    this.emails[index] = last;
    this.emails.pop();
  }

  get users(): string[] {
    return this.emails.filter((email) => !isReserved(email)).sort();
  }
}

describe('applyPlan on shadowsocks-2022', () => {
  it('never removes while a user stands last', async () => {
    const engine = new ListOfUsers(['a', 'b', 'c', 'd']);
    const plan = { removals: ['a', 'd', 'b'].map(step), additions: ['e', 'f'].map(step) };
    expect(await applyPlan(engine, new Guards(), plan)).toEqual([]);
    expect([engine.unguarded, engine.users]).toEqual([[], ['c', 'e', 'f']]);
  });

  it('nor when the engine has somebody already who is to be added among others', async () => {
    const engine = new ListOfUsers(['a', 'b', 'c']);
    const additions = ['d', 'a', 'e', 'b', ...Array.from({ length: 40 }, (_, index) => `u${index}`)].map(step);
    expect(await applyPlan(engine, new Guards(), { removals: [], additions })).toEqual([]);
    expect(engine.unguarded).toEqual([]);
    expect(engine.users).toEqual([...new Set([...additions.map(({ email }) => email), 'c'])].sort());
  });
});
