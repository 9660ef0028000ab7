import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { currentRevision } from '../../database/revision.js';
import type { UserView } from '../view/user.dto.js';
import { inSeconds, LifeCycleFixture, TAG } from './testing/life-cycle-fixture.js';

const PAST = new Date('2020-01-01T00:00:00.000Z');
const FUTURE = '2033-05-18T03:33:20.000Z';
const PLAN = { user_template_id: null, data_limit: 500, expire: 3600, add_remaining_traffic: false };
const NO_TEMPLATE = { status: 404, body: { detail: 'User Template not found', code: 'USER_TEMPLATE_NOT_FOUND' } };
const DISABLED = { status: 403, body: { detail: 'this template is disabled', code: 'USER_TEMPLATE_DISABLED' } };
const INTEGER = 'Input should be an integer from 0 to 9007199254740991';

let fixture: LifeCycleFixture;
beforeAll(async () => {
  fixture = await LifeCycleFixture.start();
});
afterAll(() => fixture?.close());
beforeEach(() => fixture.clear());

const modify = ({ username }: UserView, change: object) =>
  fixture.management.call('PUT', `/api/user/${username}`, change);
const activate = ({ username }: UserView) => fixture.management.call('POST', `/api/user/${username}/active_next`);
const shown = ({ username }: UserView) => fixture.shown(username);

describe('next_plan', () => {
  it('is stored with a new user and shown', async () => {
    const user_template_id = await fixture.template({});
    const user = await fixture.user({ next_plan: { user_template_id, expire: 60, add_remaining_traffic: true } });
    const next_plan = { user_template_id, data_limit: 0, expire: 60, add_remaining_traffic: true, problem: null };
    expect(user.next_plan).toEqual(next_plan);
    expect((await fixture.management.call('GET', '/api/users')).body).toMatchObject({ users: [{ next_plan }] });
  });

  it('stays unchanged when absent, is replaced as a whole, and is cleared by null', async () => {
    const user = await fixture.user({ next_plan: PLAN });
    expect(await modify(user, { note: 'other' })).toMatchObject({ body: { next_plan: { ...PLAN, problem: null } } });
    const other = { user_template_id: null, data_limit: 0, expire: 0, add_remaining_traffic: false, problem: null };
    expect(await modify(user, { next_plan: {} })).toMatchObject({ body: { next_plan: other } });
    expect(await modify(user, { next_plan: null })).toMatchObject({ body: { next_plan: null } });
    expect(await fixture.nodeChanges()).toEqual([]);
  });

  it.each([
    [{ data_limit: -1 }, { 'next_plan.data_limit': INTEGER }],
    [{ data_limit: 1.5 }, { 'next_plan.data_limit': INTEGER }],
    [{ expire: 3_155_760_001 }, { 'next_plan.expire': 'Input should be an integer from 0 to 3155760000' }],
    [{ user_template_id: 0 }, { 'next_plan.user_template_id': 'Input should be an integer from 1 to 2147483647' }],
    [{ add_remaining_traffic: 1 }, { 'next_plan.add_remaining_traffic': 'Input should be true or false' }],
  ])('is refused with %j', async (wrong, detail) => {
    const user = await fixture.user({ next_plan: PLAN });
    const refused = { status: 422, body: { detail, code: 'INVALID_FIELDS' } };
    expect(await modify(user, { next_plan: wrong, note: 'changed' })).toEqual(refused);
    expect(await shown(user)).toEqual(user);
    const create = { username: 'refused', next_plan: wrong };
    expect(await fixture.management.call('POST', '/api/user', create)).toEqual(refused);
  });

  it('is refused with a template that does not exist, unless that template is already stored', async () => {
    const user_template_id = await fixture.template({});
    const user = await fixture.user({ next_plan: { user_template_id } });
    await fixture.management.call('DELETE', `/api/user_template/${user_template_id}`);
    const revision = await currentRevision(fixture.manager);
    const create = { username: 'refused', next_plan: { user_template_id } };
    expect(await fixture.management.call('POST', '/api/user', create)).toEqual(NO_TEMPLATE);
    expect(await modify(user, { next_plan: { user_template_id: 4711 }, note: 'changed' })).toEqual(NO_TEMPLATE);
    expect(await fixture.management.call('GET', '/api/user/refused')).toMatchObject({ status: 404 });
    expect(await currentRevision(fixture.manager)).toBe(revision);
    const orphan = await shown(user);
    expect(orphan).toMatchObject({ note: null, next_plan: { user_template_id, problem: 'User Template not found' } });
    expect(await modify(user, { ...orphan, note: 'sent back' })).toMatchObject({
      status: 200,
      body: { note: 'sent back', next_plan: orphan.next_plan },
    });
  });
});

describe('a next plan by request', () => {
  it.each([
    ['an end in the past', {}, { expire: PAST.toISOString() }],
    ['a limit that is used up', { usedTraffic: 50 }, { data_limit: 50 }],
    ['a plan for one who is at the end', { status: 'expired', expire: PAST, nextPlan: null }, { next_plan: PLAN }],
  ] as const)('begins at once with %s', async (_, columns, change) => {
    const user = await fixture.user({ next_plan: PLAN }, columns);
    expect(await modify(user, change)).toMatchObject({
      status: 200,
      body: { status: 'active', data_limit: 500, expire: inSeconds(3600), used_traffic: 0, next_plan: null },
    });
  });

  it('stays when traffic is reset and when a template is applied', async () => {
    const user = await fixture.user({ next_plan: PLAN, data_limit: 9 }, { usedTraffic: 5 });
    const { next_plan } = user;
    const reset = await fixture.management.call('POST', `/api/user/${user.username}/reset`);
    expect(reset).toMatchObject({ status: 200, body: { used_traffic: 0, next_plan } });
    const url = `/api/user/${user.username}/from_template`;
    const applied = await fixture.management.call('PUT', url, { user_template_id: await fixture.template({}) });
    expect(applied).toMatchObject({ status: 200, body: { next_plan } });
  });
});

describe('POST /api/user/{username}/active_next', () => {
  it.each([
    ['active', { usedTraffic: 30 }],
    ['disabled', {}],
    ['on_hold', { onHoldExpireDuration: 60, onHoldTimeout: new Date(FUTURE) }],
  ] as const)('begins the plan of one who is %s', async (status, columns) => {
    const user = await fixture.user({ next_plan: PLAN }, { status, ...columns });
    const answer = await activate(user);
    expect(answer).toEqual({
      status: 200,
      body: {
        ...user,
        version: expect.any(String),
        status: 'active',
        data_limit: 500,
        expire: inSeconds(3600),
        on_hold_expire_duration: null,
        on_hold_timeout: null,
        used_traffic: 0,
        next_plan: null,
      },
    });
    expect(await shown(user)).toEqual(answer.body);
    expect(await fixture.nodeChanges()).toEqual(status === 'disabled' ? [[`${user.id}.${user.username}`, [TAG]]] : []);
  });

  it('refuses a user without a plan', async () => {
    const user = await fixture.user();
    expect(await activate(user)).toEqual({
      status: 404,
      body: { detail: "User doesn't have next plan", code: 'NEXT_PLAN_NOT_FOUND' },
    });
    expect(await shown(user)).toEqual(user);
  });

  it('refuses a template that is disabled or deleted', async () => {
    const user_template_id = await fixture.template({ is_disabled: true });
    const user = await fixture.user({ next_plan: { user_template_id } });
    expect(await activate(user)).toEqual(DISABLED);
    await fixture.management.call('DELETE', `/api/user_template/${user_template_id}`);
    expect(await activate(user)).toEqual(NO_TEMPLATE);
    expect(await shown(user)).toMatchObject({ ...user, next_plan: { user_template_id } });
    expect(await fixture.nodeChanges()).toEqual([]);
  });

  it('writes an audit entry', async () => {
    const user = await fixture.user({ next_plan: PLAN });
    await activate(user);
    const { body } = await fixture.management.call('GET', `/api/audit?target=user/${user.username}&limit=1`);
    expect(body).toMatchObject({
      entries: [
        {
          actor: 'root',
          action: 'user.activate_next_plan',
          difference: { data_limit: { before: 0, after: 500 }, next_plan: { before: expect.anything(), after: null } },
        },
      ],
    });
  });
});
