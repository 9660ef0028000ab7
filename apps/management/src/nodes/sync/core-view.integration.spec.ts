import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { User } from '@rampart/node-client';
import { until } from '@rampart/testing';
import fc from 'fast-check';
import { ManagementWithNodeDoubles } from '../testing/management-with-node-doubles.js';
import type { NodeDouble } from '../testing/node-double.js';

const INBOUNDS = {
  'ss a': { port: 1, protocol: 'shadowsocks', settings: { clients: [], network: 'tcp,udp' } },
  'vless a': { port: 2, protocol: 'vless', settings: { clients: [], decryption: 'none' } },
  'trojan b': { port: 3, protocol: 'trojan', settings: { clients: [] } },
  'vmess b': { port: 4, protocol: 'vmess', settings: { clients: [] } },
  'vless c': { port: 5, protocol: 'vless', settings: { clients: [], decryption: 'none' } },
};
type Tag = keyof typeof INBOUNDS;
const TAGS = Object.keys(INBOUNDS) as Tag[];
const configOf = (tags: readonly Tag[]) => ({
  inbounds: tags.map((tag) => ({ tag, ...INBOUNDS[tag] })),
  outbounds: [{ tag: 'direct', protocol: 'freedom' }],
});

let nodes: ManagementWithNodeDoubles;
beforeAll(async () => {
  nodes = await ManagementWithNodeDoubles.start();
  // Groups may grant the inbounds of any core, and this one stays.
  await createCore(TAGS);
});
afterAll(() => nodes?.close());
beforeEach(async () => {
  const { database } = nodes.management;
  // Users and groups of the test before would be told too.
  for (const table of ['users', 'groups']) await database.query(`DELETE FROM ${table}`);
});

async function call(method: 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown): Promise<{ id: number }> {
  const answer = await nodes.management.call(method, `/api/${path}`, body);
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return Object(answer.body);
}

let named = 0;
async function createGroup(tags: readonly Tag[]): Promise<number> {
  named += 1;
  return (await call('POST', 'group', { name: `group${named}`, inbound_tags: tags })).id;
}
async function createCore(tags: readonly Tag[]): Promise<number> {
  named += 1;
  return (await call('POST', 'core', { name: `core ${named}`, config: configOf(tags) })).id;
}
/** Returns the name towards nodes. */
async function createUser(name: string, groups: readonly number[]): Promise<string> {
  const { id } = await call('POST', 'user', { username: name, group_ids: groups });
  return `${id}.${name}`;
}

async function startNode(tags: readonly Tag[]): Promise<{ id: number; core: number; node: NodeDouble }> {
  const core = await createCore(tags);
  const id = await nodes.connectedNode({ core_config_id: core });
  return { id, core, node: nodes.double(id) };
}

/** Waits until the nodes have every change. */
async function settle(...ids: number[]): Promise<void> {
  const behind = `SELECT FROM nodes WHERE id = ANY ($1) AND (status <> 'connected' OR core_pending AND pinned_core_sealed IS NULL
    OR synced_revision < (SELECT max(revision) FROM (SELECT revision FROM user_revisions
      UNION ALL SELECT revision FROM user_tombstones) changed))`;
  await until(async (saw) => saw(await nodes.management.database.query(behind, [ids])).length === 0);
}

const emails = ({ users }: NodeDouble) => [...users.keys()].sort();
/** The protocols of the credentials of a user. */
const credentials = ({ proxies }: User) =>
  Object.entries(proxies ?? {}).flatMap(([name, value]) => (value === undefined ? [] : [name]));

describe('security row 36: the users that a node is told of', () => {
  it('a node none of whose inbounds anybody has is told of nobody, at its Start and later', async () => {
    const group = await createGroup(['vless c']);
    await createUser('alice', [group]);
    const { id, node } = await startNode(['ss a', 'trojan b']);
    await createUser('bob', [group]);
    await call('PUT', 'user/alice', { status: 'disabled' });
    await call('PUT', 'user/alice', { status: 'active', note: 'again' });
    await call('DELETE', 'user/bob');
    await call('PUT', `group/${group}`, { inbound_tags: ['vmess b', 'vless c'] });
    await settle(id);
    await call('PUT', `node/${id}/sync`);
    await until((saw) => saw(node.calls).includes('syncUsers'));
    expect([node.told, node.calls.filter((one) => one === 'syncUser')]).toEqual([[], []]);
  });

  it('a node gets of its users the tags of its own inbounds and the credentials of their protocols alone', async () => {
    const group = await createGroup(TAGS);
    const alice = await createUser('alice', [group]);
    const started = [await startNode(['ss a']), await startNode(['vless c', 'trojan b'])];
    const bob = await createUser('bob', [group]);
    await settle(...started.map(({ id }) => id));
    const heard = started.map(({ node }) => node.told.map((user) => [user.email, user.inbounds, credentials(user)]));
    expect(heard).toEqual([
      [alice, bob].map((email) => [email, ['ss a'], ['shadowsocks']]),
      [alice, bob].map((email) => [email, ['trojan b', 'vless c'], ['vless', 'trojan']]),
    ]);
  });

  it('a user who loses the last inbound of a node is removed there and told to no other, and one who gains one is added', async () => {
    const [a, b] = [await createGroup(['ss a', 'vless a']), await createGroup(['trojan b'])];
    const alice = await createUser('alice', [a]);
    const [one, other] = [await startNode(['ss a', 'vless a']), await startNode(['trojan b'])];
    const hold = async (...held: string[][]) => {
      await settle(one.id, other.id);
      expect([emails(one.node), emails(other.node)]).toEqual(held);
    };
    await hold([alice], []);
    await call('PUT', 'user/alice', { group_ids: [b] });
    await hold([], [alice]);
    await call('PUT', `group/${b}`, { inbound_tags: ['trojan b', 'vless a'] });
    await hold([alice], [alice]);
    await call('PUT', `group/${b}`, { inbound_tags: ['vless a'] });
    await hold([alice], []);
    await call('PUT', `group/${b}`, { is_disabled: true });
    await hold([], []);
    const told = other.node.told.length;
    await call('PUT', `group/${b}`, { is_disabled: false });
    await hold([alice], []);
    await call('DELETE', 'user/alice');
    await hold([], []);
    expect(other.node.told.slice(told)).toEqual([]);
    expect(one.node.told.at(-1)).toMatchObject({ email: alice, inbounds: [], proxies: undefined });
    expect([one.node.strangers, other.node.strangers]).toEqual([[], []]);
    expect([one.node.starts.length, other.node.starts.length]).toEqual([1, 1]);
  });

  it('a core that changes brings and takes users when its nodes are restarted, and none before', async () => {
    const [a, b] = [await createGroup(['ss a']), await createGroup(['trojan b'])];
    const [alice, bob] = [await createUser('alice', [a]), await createUser('bob', [b])];
    const { id, core, node } = await startNode(['ss a']);
    const body = { name: 'changed', config: configOf(['trojan b']) };
    await call('PUT', `core/${core}?restart_nodes=false`, body);
    const carol = await createUser('carol', [a]);
    const dave = await createUser('dave', [b]);
    await settle(id);
    expect([emails(node), node.told.map(({ email }) => email)]).toEqual([[alice, carol].sort(), [alice, carol]]);
    await call('POST', `node/${id}/reconnect`);
    await until((saw) => saw(node.starts).length === 2);
    await settle(id);
    expect(emails(node)).toEqual([alice, carol].sort());
    await call('POST', `core/${core}/restart`);
    await until((saw) => saw(node.starts).length === 3);
    await settle(id);
    expect(emails(node)).toEqual([bob, dave].sort());
    await call('DELETE', 'user/alice');
    await call('PUT', 'user/carol', { note: 'changed' });
    await settle(id);
    expect(node.told.filter(({ inbounds }) => inbounds.length === 0)).toEqual([]);
  });

  it('a node that holds others than its own users gets its own alone', async () => {
    const [alice] = [await createUser('alice', [await createGroup(['ss a'])]), await createGroup(['trojan b'])];
    await createUser('bob', [await createGroup(['trojan b'])]);
    const { id, node } = await startNode(['ss a']);
    node.users.set('9.eve', { ...node.users.get(alice)!, email: '9.eve' });
    node.fail('syncUsers', 'after');
    await call('PUT', `node/${id}/sync`);
    await until((saw) => saw(node.calls).filter((one) => one === 'syncUsers').length === 2);
    await until((saw) => saw(emails(node).join()) === alice);
    expect(new Set(node.told.map(({ email }) => email))).toEqual(new Set([alice]));
  });

  it('a removal that is not answered is repeated, and a user whose addition got lost is removed all the same', async () => {
    const group = await createGroup(['ss a']);
    const { id, node } = await startNode(['ss a']);
    node.fail('syncUser', 'after');
    const alice = await createUser('alice', [group]);
    await settle(id);
    node.fail('syncUser', 'before');
    await call('DELETE', 'user/alice');
    await settle(id);
    expect(emails(node)).toEqual([]);
    node.fail('syncUser', 'after');
    const bob = await createUser('bob', [group]);
    await call('DELETE', 'user/bob');
    await settle(id);
    expect(emails(node)).toEqual([]);
    expect(node.told.map(({ email }) => email)).toEqual(expect.arrayContaining([alice, bob]));
  });
});

interface Fleet {
  readonly running: { id: number; core: number; tags: Tag[]; node: NodeDouble; pending: Tag[] | undefined }[];
  readonly groups: { id: number; tags: Tag[]; disabled: boolean }[];
  readonly users: Map<string, { id: number; groups: number[]; active: boolean }>;
}

const some = fc.subarray(TAGS, { minLength: 1 });
const someGroups = fc.subarray([0, 1, 2], { minLength: 1 });
const index = fc.nat(11);
const action = fc.oneof(
  { weight: 3, arbitrary: fc.record({ what: fc.constant('create' as const), at: index, groups: someGroups }) },
  { weight: 3, arbitrary: fc.record({ what: fc.constant('member' as const), at: index, groups: someGroups }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('toggle' as const), at: index }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('delete' as const), at: index }) },
  { weight: 3, arbitrary: fc.record({ what: fc.constant('grant' as const), at: index, tags: some }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('disable' as const), at: index }) },
  {
    weight: 2,
    arbitrary: fc.record({ what: fc.constant('core' as const), at: index, tags: some, restart: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('restart' as const), at: index }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('reconnect' as const), at: index }) },
);
type Action = typeof action extends fc.Arbitrary<infer A> ? A : never;

/** Carries an action out over the API and on the model. */
async function carryOut(fleet: Fleet, one: Action): Promise<void> {
  const group = fleet.groups[one.at % fleet.groups.length]!;
  const node = fleet.running[one.at % fleet.running.length]!;
  const name = `user${one.at}`;
  const user = fleet.users.get(name);
  const idsOf = (groups: readonly number[]) => groups.map((at) => fleet.groups[at]!.id);
  if (one.what === 'create' && !user) {
    const { id } = await call('POST', 'user', { username: name, group_ids: idsOf(one.groups) });
    fleet.users.set(name, { id, groups: one.groups, active: true });
  } else if (one.what === 'member' && user) {
    await call('PUT', `user/${name}`, { group_ids: idsOf(one.groups) });
    user.groups = one.groups;
  } else if (one.what === 'toggle' && user) {
    user.active = !user.active;
    await call('PUT', `user/${name}`, { status: user.active ? 'active' : 'disabled' });
  } else if (one.what === 'delete' && user) {
    await call('DELETE', `user/${name}`);
    fleet.users.delete(name);
  } else if (one.what === 'grant') {
    await call('PUT', `group/${group.id}`, { inbound_tags: one.tags });
    group.tags = one.tags;
  } else if (one.what === 'disable') {
    group.disabled = !group.disabled;
    await call('PUT', `group/${group.id}`, { is_disabled: group.disabled });
  } else if (one.what === 'core') {
    await call('PUT', `core/${node.core}?restart_nodes=${one.restart}`, { name: 'c', config: configOf(one.tags) });
    node.pending = one.tags;
    if (one.restart) takeCore(node);
  } else if (one.what === 'restart') {
    await call('POST', `core/${node.core}/restart`);
    takeCore(node);
  } else if (one.what === 'reconnect') await call('POST', `node/${node.id}/reconnect`);
}

function takeCore(node: Fleet['running'][number]): void {
  node.tags = node.pending ?? node.tags;
  node.pending = undefined;
}

/** What a node should hold, by the specification. */
function expected({ groups, users }: Fleet, tags: readonly Tag[]): unknown[] {
  return [...users].flatMap(([name, user]) => {
    const granted = user.groups.flatMap((at) => (groups[at]!.disabled ? [] : groups[at]!.tags));
    const own = tags.filter((tag) => user.active && granted.includes(tag)).sort();
    const protocols = new Set(own.map((tag) => INBOUNDS[tag].protocol));
    return own.length === 0 ? [] : [[`${user.id}.${name}`, own, [...protocols].sort()]];
  });
}

const held = ({ users }: NodeDouble) =>
  [...users.values()].map((user) => [user.email, [...user.inbounds].sort(), credentials(user).sort()]);
const sorted = (rows: unknown[]) => JSON.stringify(rows.map((row) => JSON.stringify(row)).sort());

it('security row 36: whatever changes, every node holds its own users, hears of no other, and gets no more of them than it needs', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(some, { minLength: 3, maxLength: 3 }),
      fc.array(some, { minLength: 3, maxLength: 3 }),
      fc.array(action, { minLength: 8, maxLength: 14 }),
      async (granted, cores, actions) => {
        const fleet: Fleet = { running: [], groups: [], users: new Map() };
        for (const tags of granted) fleet.groups.push({ id: await createGroup(tags), tags, disabled: false });
        for (const tags of cores) fleet.running.push({ ...(await startNode(tags)), tags, pending: undefined });
        try {
          for (const one of actions) {
            await carryOut(fleet, one);
            // Some changes meet others that are under way.
            if (one.at % 3 === 0) continue;
            await until((saw) =>
              saw(fleet.running).every(({ node, tags }) => sorted(held(node)) === sorted(expected(fleet, tags))),
            );
          }
          await until((saw) =>
            saw(fleet.running).every(({ node, tags }) => sorted(held(node)) === sorted(expected(fleet, tags))),
          );
          expect(fleet.running.map(({ node }) => node.strangers)).toEqual([[], [], []]);
        } finally {
          for (const { id } of fleet.running) await call('DELETE', `node/${id}`);
          for (const name of fleet.users.keys()) await call('DELETE', `user/${name}`);
          for (const { id } of fleet.groups) await call('DELETE', `group/${id}`);
        }
      },
    ),
    { numRuns: 8, endOnFailure: true },
  );
}, 120_000);
