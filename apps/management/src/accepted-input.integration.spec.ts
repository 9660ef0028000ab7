import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { MAX_INT32 } from '@rampart/domain';
import fc from 'fast-check';
import { StartRequestBuilder } from './nodes/sync/start-request-builder.js';
import { CORE, GROUP, HOST, type Json, NODE, SETTINGS, TEMPLATE, USER } from './testing/full-bodies.js';
import { TestManagement } from './testing/test-management.js';

const RUNS = { numRuns: 40 };

const TEXTS = fc.oneof(
  fc.constantFrom('', ' ', '*', '{', '{USERNAME}', '{{x}}', 'a,b', 'a<=>b', 'none', '0', '-1', '1-2', '70000', 'null'),
  fc.constantFrom(
    'a\u0000b',
    '\ud800',
    '\u202e💥',
    '\r\nx: y',
    '"\'<>&#%?/',
    'x'.repeat(60),
    'x'.repeat(300),
    'y'.repeat(3_000),
  ),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
);
const NUMBERS = fc.oneof(
  fc.constantFrom(0, -1, 1, 1.5, 65_535, 70_000, MAX_INT32, MAX_INT32 + 1, 2 ** 53 - 1, 2 ** 53, 1e21),
  fc.integer(),
);
const ANYTHING = fc.oneof(
  TEXTS,
  NUMBERS,
  fc.constantFrom(null, true, {}, { '': '' }, [[]]),
  fc.jsonValue({ maxDepth: 2 }),
);

/** Values that a caller may send in place of a value: mostly of the same type, sometimes none. */
function odd(value: unknown): fc.Arbitrary<unknown> {
  const others = [fc.constant(undefined), ANYTHING];
  if (typeof value === 'string') return fc.oneof({ arbitrary: TEXTS, weight: 4 }, ...others);
  if (typeof value === 'number') return fc.oneof({ arbitrary: NUMBERS, weight: 4 }, ...others);
  if (typeof value === 'boolean') return fc.oneof({ arbitrary: fc.boolean(), weight: 4 }, ...others);
  if (!Array.isArray(value)) return fc.oneof(...others);
  return fc.oneof({ arbitrary: fc.array(fc.oneof(TEXTS, fc.constantFrom('', ...value))), weight: 4 }, ...others);
}

let management: TestManagement;
/** Runs the core that is modified. */
let nodeId: number;
/** Runs the core whose inbound the user keeps. */
let keptNodeId: number;
let coreId: number;
let path: string;
beforeAll(async () => {
  management = await TestManagement.start();
  const { id } = await created('/api/core', { ...CORE, name: 'steady' });
  coreId = Number(id);
  await created('/api/group', { name: 'all', inbound_tags: ['Shadowsocks TCP', 'vless ws', 'reality'] });
  await created('/api/host', { remark: 'steady', inbound_tag: 'Shadowsocks TCP', priority: 1, address: ['192.0.2.1'] });
  await created('/api/host', HOST);
  const user = await created('/api/user', { username: 'steady', group_ids: [1] });
  path = new URL(String(user['subscription_url'])).pathname;
  const nodes = [coreId, 1].map((core_config_id) =>
    created('/api/node', { ...NODE, name: `n${core_config_id}`, port: core_config_id, core_config_id }),
  );
  [nodeId, keptNodeId] = (await Promise.all(nodes)).map((node) => Number(node['id'])) as [number, number];
});
afterAll(() => management?.close());

async function created(url: string, body: Json): Promise<Json> {
  const answer = await management.call('POST', url, body);
  expect(answer).toEqual({ status: 201, body: expect.anything() });
  return Object(answer.body);
}

/** The object with one to three of its values replaced. */
function spoiled(base: Json): fc.Arbitrary<Json> {
  const spot = fc.constantFrom(...paths(base));
  const change = spot.chain((path) => fc.tuple(fc.constant(path), odd(valueAt(base, path))));
  return fc
    .array(change, { minLength: 1, maxLength: 3 })
    .map((changes) => changes.reduce<Json>((value, [path, other]) => Object(replaced(value, path, other)), base));
}

const valueAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((inner, key) => Reflect.get(Object(inner), key), value);

function paths(value: unknown, above: readonly string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => [[...above, key], ...paths(item, [...above, key])]);
}

function replaced(value: unknown, [key, ...rest]: readonly string[], other: unknown): unknown {
  if (key === undefined) return other;
  if (Array.isArray(value)) return value.map((item, n) => (String(n) === key ? replaced(item, rest, other) : item));
  if (typeof value !== 'object' || value === null) return value;
  return { ...value, [key]: replaced(Reflect.get(value, key), rest, other) };
}

/** Expects that all lists, the subscription of another user and the request that starts a node are still correct. */
async function expectSound(): Promise<void> {
  for (const url of [
    'cores',
    'inbounds',
    'hosts',
    'groups',
    'user_templates',
    'users?load_sub=true',
    'nodes',
    'settings',
  ]) {
    const { status, body } = await management.call('GET', `/api/${url}`);
    expect({ url, status, isJson: typeof body === 'object' }).toEqual({ url, status: 200, isJson: true });
  }
  const links = await management.request('GET', `${path}/links`, undefined, '');
  expect(links).toMatchObject({ status: 200, text: expect.stringContaining('#steady') });
  const xray = await management.call('GET', `${path}/xray`, undefined, '');
  expect(xray).toEqual({ status: 200, body: expect.arrayContaining([expect.objectContaining({ remarks: 'steady' })]) });
  const builder = management.app.get(StartRequestBuilder);
  await builder.buildStartRequest(nodeId);
  const { backend } = await builder.buildStartRequest(keptNodeId);
  expect([...backend.users].map(({ email }) => email)).toContain('1.steady');
}

/** Expects a refusal with a message and a code, or no harm; returns the id of what was accepted. */
async function expectRefusedOrSound(method: 'POST' | 'PUT', url: string, body: Json): Promise<unknown> {
  const answer = await management.call(method, url, body);
  if (answer.status >= 300) {
    expect([400, 403, 404, 409, 422]).toContain(answer.status);
    expect(answer.body).toEqual({ detail: expect.anything(), code: expect.stringMatching(/^[A-Z_]+$/) });
    return undefined;
  }
  await expectSound();
  return Reflect.get(Object(answer.body), url === '/api/user' ? 'username' : 'id');
}

describe('accepted input harms no other user, host or node', () => {
  it.each<[string, Json]>([
    ['/api/host', HOST],
    ['/api/core', CORE],
    ['/api/group', GROUP],
    ['/api/user_template', TEMPLATE],
    ['/api/user', USER],
  ])('when %s is created', async (url, base) => {
    const property = fc.asyncProperty(spoiled(base), async (body) => {
      const id = await expectRefusedOrSound('POST', url, body);
      if (id === undefined) return;
      expect(await management.call('DELETE', `${url}/${id}`)).toMatchObject({ status: 204 });
    });
    await fc.assert(property, RUNS);
  });

  // A modified core may have lost the tags that groups and hosts use, so it is restored.
  beforeEach(() => management.call('PUT', `/api/core/${coreId}`, CORE));

  it.each<[string, () => string, Json, Json]>([
    ['the core of a node', () => `/api/core/${coreId}?restart_nodes=true`, CORE, {}],
    ['the group of a user', () => '/api/group/1', GROUP, { inbound_tags: ['Shadowsocks TCP'], is_disabled: false }],
    ['a host', () => '/api/host/2', HOST, {}],
    ['a section of the settings', () => '/api/settings', SETTINGS, {}],
    ['a user', () => '/api/user/steady', USER, { group_ids: [1], status: 'active', expire: 0, data_limit: 0 }],
  ])('when %s is modified', async (_, url, base, kept) => {
    // The members in `kept` stay, because without them the user rightly gets no host.
    const property = fc.asyncProperty(spoiled(base), async (change) => {
      await expectRefusedOrSound('PUT', url(), { ...change, ...kept });
    });
    await fc.assert(property, RUNS);
  });
});
