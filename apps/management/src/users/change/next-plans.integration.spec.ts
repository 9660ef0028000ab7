import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { until } from '@rampart/testing';
import { currentRevision } from '../../database/revision.js';
import { User } from '../../user-store/entities/user.entity.js';
import { DAY, inSeconds, LifeCycleFixture, SECOND, TAG } from '../life-cycle/testing/life-cycle-fixture.js';
import type { UserView } from '../view/user.dto.js';

const PAST = new Date('2020-01-01T00:00:00.000Z');
const PLAN = { user_template_id: null, data_limit: 500, expire: 3600, add_remaining_traffic: false };

/** A template that sets every member. */
const full = {
  data_limit: 900,
  expire_duration: 7200,
  group_ids: [2],
  data_limit_reset_strategy: 'week',
  extra_settings: { flow: 'xtls-rprx-vision', method: 'aes-256-gcm' },
};

let fixture: LifeCycleFixture;
beforeAll(async () => {
  fixture = await LifeCycleFixture.start();
});
afterAll(() => fixture?.close());
beforeEach(() => fixture.clear());

const modify = ({ username }: UserView, change: object) =>
  fixture.management.call('PUT', `/api/user/${username}`, change);
const shown = ({ username }: UserView) => fixture.shown(username);

describe('a next plan without template', () => {
  it.each([
    ['expired', { expire: PAST }],
    ['limited', { dataLimit: 100, usedTraffic: 130 }],
  ] as const)('begins when its user is %s: from zero, and once', async (_, columns) => {
    const user = await fixture.user({ next_plan: PLAN, note: 'kept' }, { ...columns, pastTraffic: 7 });
    await fixture.manager.query(`INSERT INTO user_traffic_notices VALUES ($1, '-infinity')`, [user.id]);
    await fixture.run();
    expect(await shown(user)).toEqual({
      ...user,
      status: 'active',
      data_limit: 500,
      expire: inSeconds(3600),
      used_traffic: 0,
      lifetime_used_traffic: user.lifetime_used_traffic,
      version: expect.any(String),
      next_plan: null,
    });
    expect(await fixture.resets(user.id)).toEqual(user.used_traffic === 0 ? [] : [user.used_traffic]);
    expect(await fixture.nodeChanges()).toEqual([[`${user.id}.${user.username}`, [TAG]]]);
    await fixture.run(fixture.later(2 * 3600 * SECOND));
    expect(await shown(user)).toMatchObject({ status: 'expired', data_limit: 500 });
  });

  it('adds the remaining traffic, and keeps the reset strategy with its phase', async () => {
    const terms = { data_limit: 100, data_limit_reset_strategy: 'month' };
    const user = await fixture.user(
      { ...terms, next_plan: { ...PLAN, add_remaining_traffic: true } },
      { expire: PAST, usedTraffic: 30 },
    );
    await fixture.run();
    expect(await shown(user)).toMatchObject({ ...terms, data_limit: 570 });
    const { createdAt, nextResetAt } = await fixture.manager.findOneByOrFail(User, { id: user.id });
    expect(nextResetAt!.getTime() - createdAt.getTime()).toBe(30 * DAY);
  });

  it('makes the user unlimited when the plan has neither a limit nor an end', async () => {
    const terms = { data_limit: 100, data_limit_reset_strategy: 'day', next_plan: { add_remaining_traffic: true } };
    const user = await fixture.user(terms, { expire: PAST });
    await fixture.run();
    expect(await shown(user)).toMatchObject({ status: 'active', data_limit: 0, expire: 0 });
    expect(await fixture.manager.query('SELECT next_reset_at FROM users')).toEqual([{ next_reset_at: null }]);
  });
});

describe('a next plan with a template', () => {
  it('takes everything from the template, and from the plan only whether remaining traffic is added', async () => {
    const user_template_id = await fixture.template(full);
    const next_plan = { ...PLAN, user_template_id, add_remaining_traffic: true };
    const user = await fixture.user({ data_limit: 100, next_plan }, { expire: PAST, usedTraffic: 30 });
    const { vmess, vless, trojan, shadowsocks } = user.proxy_settings;
    await fixture.run();
    expect(await shown(user)).toEqual({
      ...user,
      version: expect.any(String),
      status: 'active',
      data_limit: 970,
      data_limit_reset_strategy: 'week',
      expire: inSeconds(7200),
      group_ids: [2],
      used_traffic: 0,
      next_plan: null,
      proxy_settings: {
        vmess,
        vless: { id: vless.id, flow: 'xtls-rprx-vision' },
        trojan,
        shadowsocks: { password: shadowsocks.password, method: 'aes-256-gcm' },
      },
    });
    expect(await fixture.nodeChanges()).toEqual([[`${user.id}.${user.username}`, [TAG]]]);
  });

  it('puts the user on hold if the template does, and earlier traffic does not end the hold', async () => {
    const hold = { status: 'on_hold', expire_duration: 7200, on_hold_timeout: 86_400 };
    const user_template_id = await fixture.template(hold);
    const user = await fixture.user({ next_plan: { user_template_id } }, { expire: PAST });
    await fixture.run();
    const held = { status: 'on_hold', expire: 0, on_hold_expire_duration: 7200, on_hold_timeout: inSeconds(86_400) };
    expect(await shown(user)).toMatchObject(held);
    await fixture.manager.query(`INSERT INTO user_traffic_notices VALUES ($1, now() - interval '1 minute')`, [user.id]);
    await fixture.run();
    expect(await shown(user)).toMatchObject(held);
  });

  it('removes all groups when the template has none left', async () => {
    const user_template_id = await fixture.template({});
    await fixture.management.call('PUT', `/api/user_template/${user_template_id}`, { group_ids: [] });
    const user = await fixture.user({ next_plan: { user_template_id } }, { expire: PAST });
    await fixture.run();
    expect(await shown(user)).toMatchObject({ status: 'active', group_ids: [] });
    expect(await fixture.nodeChanges()).toEqual([[`${user.id}.${user.username}`, []]]);
  });

  it('waits while the template is disabled, shows it, and begins when it is enabled', async () => {
    const user_template_id = await fixture.template({ is_disabled: true });
    const user = await fixture.user({ next_plan: { user_template_id } }, { expire: PAST });
    await fixture.run();
    const waiting = { status: 'expired', next_plan: { user_template_id, problem: 'this template is disabled' } };
    expect(await shown(user)).toMatchObject(waiting);
    const revision = await currentRevision(fixture.manager);
    await fixture.run();
    expect(await currentRevision(fixture.manager)).toBe(revision);
    await fixture.management.call('PUT', `/api/user_template/${user_template_id}`, { is_disabled: false });
    await fixture.run();
    expect(await shown(user)).toMatchObject({ status: 'active', next_plan: null });
  });

  it('never begins when the template was deleted, and does not affect other users', async () => {
    const user_template_id = await fixture.template({});
    const user = await fixture.user({ next_plan: { user_template_id } }, { expire: PAST });
    const other = await fixture.user({ next_plan: PLAN }, { expire: PAST });
    await fixture.management.call('DELETE', `/api/user_template/${user_template_id}`);
    await fixture.run();
    const waiting = { status: 'expired', next_plan: { user_template_id, problem: 'User Template not found' } };
    expect(await shown(user)).toMatchObject(waiting);
    expect(await shown(other)).toMatchObject({ status: 'active', next_plan: null });
    expect(await modify(user, { next_plan: PLAN })).toMatchObject({ body: { status: 'active', next_plan: null } });
  });
});

describe('a next plan whose template is deleted while it begins', () => {
  it('waits for the deletion, and does not begin', async () => {
    const user_template_id = await fixture.template({});
    const user = await fixture.user({ next_plan: { user_template_id } }, { expire: PAST });
    let running: Promise<void> | undefined;
    await fixture.management.database.transaction(async (other) => {
      await other.query('DELETE FROM user_templates WHERE id = $1', [user_template_id]);
      running = fixture.run();
      await until(async () => {
        const [row] = await fixture.manager.query(
          'SELECT count(*)::integer AS waiting FROM pg_locks WHERE NOT granted',
        );
        return row.waiting > 0;
      });
    });
    await running;
    expect(await shown(user)).toMatchObject({ status: 'expired', next_plan: { problem: 'User Template not found' } });
  });
});

describe('many next plans', () => {
  it('are not held up by one whose user has damaged credentials', async () => {
    const user_template_id = await fixture.template(full);
    const damaged = await fixture.user({ next_plan: { user_template_id } }, { expire: PAST });
    const whole = await fixture.user({ next_plan: { user_template_id } }, { expire: PAST });
    await fixture.manager.query(`UPDATE user_proxy_settings SET proxy_settings = 'null' WHERE user_id = $1`, [
      damaged.id,
    ]);
    await fixture.run();
    for (const user of [damaged, whole]) expect(await shown(user)).toMatchObject({ status: 'active', next_plan: null });
  });

  it('begin together, each by its own template', async () => {
    const templates = [await fixture.template({ group_ids: [2] }), await fixture.template({ data_limit: 77 })];
    await fixture.manager.query(
      `INSERT INTO users (username, expire, next_plan)
       SELECT 'planned' || n, '2020-01-01',
         jsonb_build_object('user_template_id', ($1::integer[])[n % 3 + 1], 'data_limit', 5, 'expire', 0,
           'add_remaining_traffic', false)
       FROM generate_series(1, 3000) n`,
      [[...templates, null]],
    );
    await fixture.run(fixture.later(DAY));
    const counts = await fixture.manager.query(
      `SELECT data_limit::integer, ARRAY (SELECT group_id FROM user_groups WHERE user_id = users.id) AS groups,
         count(*)::integer FROM users WHERE status = 'active' GROUP BY 1, 2 ORDER BY 1`,
    );
    expect(counts).toEqual([
      { data_limit: 0, groups: [2], count: 1000 },
      { data_limit: 5, groups: [], count: 1000 },
      { data_limit: 77, groups: [1], count: 1000 },
    ]);
    expect(await fixture.nodeChanges()).toHaveLength(3000);
  });
});
