import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { StartRequestBuilder } from './nodes/sync/start-request-builder.js';
import { OpenApiService } from './openapi/open-api.service.js';
import type { OpenApiDocument } from './openapi/schema.js';
import { CORE, GROUP, HOST, type Json, NODE, SETTINGS, TEMPLATE, USER } from './testing/full-bodies.js';
import type { MutationRequest } from './testing/mutations/mutation.js';
import { MUTATIONS } from './testing/mutations/mutations.js';
import { ReadEverything, type Subjects } from './testing/read-everything.js';
import { type Route, routesOf } from './testing/routes.js';
import { membersOf, withMember } from './testing/schema-members.js';
import { TestManagement } from './testing/test-management.js';
import type { Schema } from './validation/json-schema.js';

const { name: _core, ...CORE_FIELDS } = CORE;
const { name: _group, ...GROUP_FIELDS } = GROUP;
const { name: _template, ...TEMPLATE_FIELDS } = TEMPLATE;
const { username: _user, ...USER_FIELDS } = USER;
const ADMIN_FIELDS = { notification_enable: { create: true } };

/** Members that complete the request of a mutation, by its DTO: objects whose members can be null. */
const FULL: Readonly<Record<string, Json>> = {
  AdminCreate: ADMIN_FIELDS,
  AdminModify: ADMIN_FIELDS,
  CoreCreate: CORE_FIELDS,
  GroupCreate: GROUP_FIELDS,
  GroupModify: GROUP_FIELDS,
  HostCreate: HOST,
  HostElement: HOST,
  HostProbeOptions: { clients: ['xray'], node_ids: [1] },
  ProbeSettings: { every_minutes: 5, after_change: true, viewpoints: 1, url: '', hide_failing: true, hide_after: 1 },
  UnsavedHostProbe: { ...HOST, clients: ['xray'], node_ids: [1] },
  SettingsModify: { ...SETTINGS, subscription: { ...Object(SETTINGS['subscription']), disable_sub_template: false } },
  UserCreate: USER_FIELDS,
  UserModify: USER_FIELDS,
  UserTemplateCreate: TEMPLATE_FIELDS,
  UserTemplateModify: TEMPLATE_FIELDS,
};
/** Tables whose new rows are deleted after every batch. */
const TABLES = ['hosts', 'users', 'user_templates', 'cores', 'groups', 'admins', 'nodes'];
/** Saved requests after which everything is read and new rows are deleted: many requests validate all rows again. */
const BATCH_SIZE = 15;

let management: TestManagement;
let document: OpenApiDocument;
let everything: ReadEverything;
let subjects: Subjects;
let routes: readonly Route[];
let last: Record<string, number>;

beforeAll(async () => {
  management = await TestManagement.start();
  document = await management.app.get(OpenApiService).document();
  everything = await ReadEverything.of(management);
  routes = routesOf(management.app).filter(({ route }) => MUTATIONS[route] && bodyOf(route));
  await made('/api/core', { ...CORE, name: 'steady' });
  await made('/api/group', { name: 'steady', inbound_tags: ['vless ws', 'Shadowsocks TCP', 'reality', 'child'] });
  await made('/api/host', HOST);
  await made('/api/host', { remark: 'steady', inbound_tag: 'Shadowsocks TCP', priority: 9, address: ['192.0.2.1'] });
  await made('/api/user_template', { ...TEMPLATE, name: 'steady' });
  const { subscription_url } = await made('/api/user', { username: 'steady', group_ids: [1] });
  await made('/api/node', NODE);
  await management.call('PUT', '/api/node/1', { status: 'disabled' });
  subjects = { username: 'steady', token: tokenOf(subscription_url) };
  last = Object.fromEntries(await Promise.all(TABLES.map(async (table) => [table, await lastId(table)])));
});
afterAll(() => management?.close());

const tokenOf = (url: unknown): string => new URL(String(url)).pathname.split('/').at(-1) ?? '';

async function made(url: string, body: Json): Promise<Json> {
  const answer = await management.call('POST', url, body);
  expect(answer).toEqual({ status: 201, body: expect.anything() });
  return Object(answer.body);
}

async function lastId(table: string): Promise<number> {
  const [row] = await management.database.query(`SELECT coalesce(max(id), 0) AS id FROM ${table}`);
  return row.id;
}

async function forget(): Promise<void> {
  const nodes = await management.database.query('SELECT id FROM nodes WHERE id > $1', [last['nodes']]);
  const ids = nodes.map(({ id }: { id: number }) => id);
  if (ids.length > 0) await management.call('POST', '/api/nodes/bulk/delete', { ids });
  for (const table of TABLES) await management.database.query(`DELETE FROM ${table} WHERE id > $1`, [last[table]]);
  await management.database.query('DELETE FROM settings');
  // This change makes management compile subscriptions again without the deleted rows.
  await management.call('PUT', '/api/settings', { general: {} });
}

function bodyOf(route: string): Schema | undefined {
  const [method = '', path = ''] = route.split(' ');
  const operation = document.paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
  return operation?.requestBody?.content['application/json']?.schema;
}

/** The body of a mutation, completed to every member that its DTO has. */
function fullBody({ body }: MutationRequest, { $ref, items }: Schema): unknown {
  if (items && Array.isArray(body))
    return body.map((element) => fullBody({ url: '', target: '', body: element }, items));
  return { ...body, ...FULL[$ref?.split('/').at(-1) ?? ''] };
}

/** The answers that a user can get about itself. */
const OWN = /\{(username|token)\}/;
const SETTINGS_ROUTE = 'PUT /api/settings';

describe('null in place of any member of a body', () => {
  it('is refused, or everything can still be read afterwards', async () => {
    expect(routes.length).toBeGreaterThan(25);
    const broken: string[] = [];
    const reached: Subjects[] = [];
    const nulls: string[] = [];
    let saved = 0;
    const finishBatch = async () => {
      saved += nulls.length;
      broken.push(...(await read(nulls.splice(0), reached.splice(0))));
      await forget();
    };
    for (const { route, method } of routes) {
      const schema = bodyOf(route) ?? {};
      for (const path of membersOf(schema, document)) {
        const request = await MUTATIONS[route]!.prepare(management);
        const body = withMember(fullBody(request, schema), path, null);
        const { status, body: answer } = await management.request(method, request.url, body);
        if (status >= 500) broken.push(`${route} with ${path.join('.')}: null: ${status}`);
        if (status >= 300) continue;
        nulls.push(`${route} ${path.join('.')}`);
        const { username, subscription_url } = Object(answer);
        if (subscription_url) reached.push({ username, token: tokenOf(subscription_url) });
        // There is only one row of settings, which the next request replaces.
        if (nulls.length === BATCH_SIZE || route === SETTINGS_ROUTE) await finishBatch();
      }
    }
    await finishBatch();
    expect(broken).toEqual([]);
    expect(saved).toBeGreaterThan(200);
  }, 600_000);

  async function read(nulls: readonly string[], reached: readonly Subjects[]): Promise<string[]> {
    const found = await everything.problems(subjects);
    for (const own of reached) found.push(...(await everything.problems(own, OWN)));
    await management.app
      .get(StartRequestBuilder)
      .buildStartRequest(1)
      .catch((error) => found.push(String(error)));
    return found.map((problem) => `${problem} (null was taken for ${nulls.join(', ')})`);
  }
});
