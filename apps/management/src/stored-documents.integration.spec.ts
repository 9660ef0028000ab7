import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { CoreConfigError } from '@rampart/core-config';
import { CoreRepository } from './core-store/core.repository.js';
import { CoreReader } from './core-store/core-reader.js';
import { AtRestCipher } from './keys/at-rest-cipher.js';
import { SubscriptionLink } from './keys/subscription-link.js';
import { NodeCoreRepository } from './nodes/store/node-core.repository.js';
import { NodeProblem } from './nodes/store/node-problem.js';
import { StartRequestBuilder } from './nodes/sync/start-request-builder.js';
import { CORE, HOST, type Json, NODE, SETTINGS, TEMPLATE } from './testing/full-bodies.js';
import { ReadEverything, type Subjects } from './testing/read-everything.js';
import { placesIn, withMember } from './testing/schema-members.js';
import { TestManagement } from './testing/test-management.js';
import { UserLifeCycle } from './users/life-cycle/user-life-cycle.js';

/** Wrong values that a damaged document may have at any place. */
const WRONG_VALUES = [null, 5, -1.5, 'text', true, [], {}];
/** So many users are read at the same time. */
const AT_ONCE = 10;
/** Ids of the damaged copies begin here; the rows with lower ids must be answered as before. */
const FIRST_COPY = 1_000;
/** Tables without copies: settings and the user of probes are tested below, and bulk operations in bulk-operations.integration.spec.ts. */
const OTHER_TABLES = ['settings', 'bulk_operations', 'probe_user'];

interface Column {
  table: string;
  column: string;
  type: string;
  /** The context of a sealed document. */
  contextOf?: (id: number) => string;
}

let management: TestManagement;
let everything: ReadEverything;
let subjects: Subjects;
const warnings: string[] = [];

beforeAll(async () => {
  jest.spyOn(Logger.prototype, 'warn').mockImplementation((text) => warnings.push(String(text)));
  management = await TestManagement.start();
  everything = await ReadEverything.of(management);
  await made('/api/core', { ...CORE, name: 'steady' });
  await made('/api/group', { name: 'all', inbound_tags: ['Shadowsocks TCP', 'vless ws'] });
  const transport_settings = Object(HOST['transport_settings']);
  const xhttp_settings = { ...transport_settings.xhttp_settings, download_settings: 1 };
  await made('/api/host', { remark: 'way back', inbound_tag: 'Shadowsocks TCP', priority: 8, address: ['192.0.2.2'] });
  await made('/api/host', {
    ...HOST,
    inbound_tag: 'Shadowsocks TCP',
    security: 'none',
    status: null,
    transport_settings: { ...transport_settings, xhttp_settings },
  });
  await made('/api/host', { remark: 'steady', inbound_tag: 'Shadowsocks TCP', priority: 9, address: ['192.0.2.1'] });
  await made('/api/user_template', { ...TEMPLATE, name: 'steady', status: 'active', on_hold_timeout: null });
  await made('/api/admin', {
    username: 'steady',
    password: 'correct horse battery',
    is_sudo: false,
    notification_enable: { create: true },
  });
  const next_plan = { user_template_id: 1, data_limit: 5, expire: 60, add_remaining_traffic: true };
  const { subscription_url } = await made('/api/user', { username: 'steady', group_ids: [1], next_plan });
  await made('/api/node', NODE);
  await management.call('PUT', '/api/node/1', { status: 'disabled' });
  const held = {
    config: CORE['config'],
    excludeInboundTags: ['ss'],
    fallbacksInboundTags: ['front'],
    privateNetworks: ['10.1.0.0/16'],
  };
  const sealed = management.app.get(AtRestCipher).seal(JSON.stringify(held), 'pinned-core:1');
  await query('UPDATE nodes SET pinned_core_sealed = $1 WHERE id = 1', [sealed]);
  // A trigger forbids changes of audit entries, and only a broken disk could damage one.
  await query(
    `CREATE OR REPLACE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN coalesce(NEW, OLD); END'`,
  );
  subjects = { username: 'steady', token: new URL(String(subscription_url)).pathname.split('/').at(-1) ?? '' };
});
afterAll(() => management?.close());
beforeEach(async () => {
  await forgetCopies();
  warnings.splice(0);
});

/** As the owner, who may damage the log of changes too. */
const query = (sql: string, parameters: unknown[] = []): Promise<Json[]> => management.asOwner(sql, parameters);

async function made(url: string, body: Json): Promise<Json> {
  const answer = await management.call('POST', url, body);
  expect(answer).toEqual({ status: 201, body: expect.anything() });
  return Object(answer.body);
}

const CHANGE_CONFIG = `UPDATE counters SET value = value + 1 WHERE name = 'config'`;
const changeConfig = () => query(CHANGE_CONFIG);
const storeSection = (section: string, value: unknown) =>
  query(`WITH changed AS (${CHANGE_CONFIG}) UPDATE settings SET value = $2 WHERE section = $1`, [
    section,
    JSON.stringify(value),
  ]);

/** All JSON columns of the database, so that a new column is tested without a change here, and those with sealed JSON. */
async function columns(): Promise<Column[]> {
  const rows = await query(
    `SELECT table_name AS "table", column_name AS "column", data_type AS "type" FROM information_schema.columns
     WHERE table_schema = 'public' AND data_type IN ('json', 'jsonb')
       AND NOT EXISTS (SELECT FROM pg_class WHERE relname = table_name AND relispartition)
     ORDER BY 1, 2`,
  );
  const plain = rows.map(({ table, column, type }) => {
    return { table: String(table), column: String(column), type: String(type) };
  });
  return [...plain, CORE_CONFIG, PINNED_CORE];
}

const CORE_CONFIG: Column = {
  table: 'cores',
  column: 'config_sealed',
  type: 'bytea',
  contextOf: (id) => management.app.get(CoreRepository).contextOf(id),
};
const PINNED_CORE: Column = {
  table: 'nodes',
  column: 'pinned_core_sealed',
  type: 'bytea',
  contextOf: (id) => management.app.get(NodeCoreRepository).contextOf(id),
};

/** A document as its column stores it. */
function stored({ contextOf }: Column, id: number, document: unknown): string | Buffer {
  const text = JSON.stringify(document);
  return contextOf ? management.app.get(AtRestCipher).seal(text, contextOf(id)) : text;
}

/** With one turn for each wrong value, each place of a document is seen by all routes and formats. */
const turnOf = (at: number) => {
  const of = WRONG_VALUES.length;
  return { of, at: at + Math.floor(at / of) };
};

const spoiled = (document: unknown): unknown[] =>
  placesIn(document).flatMap((place) => WRONG_VALUES.map((kind) => withMember(document, place, kind)));

/** Copies the row with the longest document once for each of these members, under other ids and other names. */
async function copy(table: string, column: string, copies: (Json & { id: number })[]): Promise<void> {
  const changes = copies.map((copied) => ({ name: `copy${copied.id}`, username: `copy${copied.id}`, ...copied }));
  await query(
    `INSERT INTO ${table} SELECT copied.*
     FROM (${longest(table, column)}) source, jsonb_array_elements($1::jsonb) changes,
       jsonb_populate_record(NULL::${table}, to_jsonb(source) || changes) copied`,
    [JSON.stringify(changes)],
  );
}

const longest = (table: string, column: string) =>
  `SELECT * FROM ${table} WHERE ${table === 'user_proxy_settings' ? 'user_id' : 'id'} < 999
   ORDER BY length(${column}::text) DESC NULLS LAST, 1 LIMIT 1`;

/** Inserts one row for each way in which the document can be damaged, and returns their number. */
async function spoilCopies(of: Column): Promise<number> {
  const { table, column, type } = of;
  const source = await longestDocument(of);
  expect({ table, column, source }).toEqual({ table, column, source: expect.anything() });
  const documents = spoiled(source);
  const copies = ids(documents.length).map((id) => ({ id }));
  const isOfUser = table === 'user_proxy_settings';
  if (isOfUser)
    await copy(
      'users',
      'note',
      copies.map((copied) => ({ ...copied, next_plan: null })),
    );
  await copy(table, column, isOfUser ? copies.map(({ id }) => ({ id, user_id: id })) : copies);
  await query(
    `UPDATE ${table} SET ${column} = damaged.document::${type}
     FROM unnest($1::bigint[], $2::${type === 'bytea' ? 'bytea' : 'text'}[]) damaged(id, document)
     WHERE ${isOfUser ? 'user_id' : `${table}.id`} = damaged.id`,
    [copies.map(({ id }) => id), documents.map((document, at) => stored(of, FIRST_COPY + at, document))],
  );
  await changeConfig();
  return documents.length;
}

async function longestDocument({ table, column, contextOf }: Column): Promise<unknown> {
  const [source] = await query(`SELECT *, ${column} AS document FROM (${longest(table, column)}) source`);
  const document = source?.['document'];
  if (!contextOf || !Buffer.isBuffer(document)) return document;
  return management.app.get(AtRestCipher).openJson(document, contextOf(Number(source?.['id'])));
}

async function forgetCopies(): Promise<void> {
  for (const table of ['users', 'hosts', 'cores', 'nodes', 'admins', 'user_templates', 'audit_entries']) {
    await query(`DELETE FROM ${table} WHERE id >= $1`, [FIRST_COPY]);
  }
  await changeConfig();
}

/** Expects that the rows from before are answered as before. */
async function expectUnharmed(): Promise<void> {
  expect(await everything.problems(subjects)).toEqual([]);
  const { text } = await management.request('GET', `/sub/${subjects.token}/links`, undefined, '');
  expect(text).toContain('192.0.2.1:');
  expect(text).toContain('#steady');
}

const ids = (count: number) => Array.from({ length: count }, (_, index) => FIRST_COPY + index);

/** Uses of the documents of a table other than showing them. */
const USED: Readonly<Record<string, (count: number) => Promise<void>>> = {
  hosts: async () => {
    // Saving a host compares it with all other hosts.
    const host = { remark: 'steady', inbound_tag: 'Shadowsocks TCP', priority: 9, address: ['192.0.2.1'] };
    const xhttp_settings = { download_settings: 1 };
    const change = { ...host, transport_settings: { xhttp_settings } };
    expect(await management.call('PUT', '/api/host/3', change)).toMatchObject({ status: 200 });
    expect(await management.call('PUT', '/api/hosts', [{ ...host, id: 3 }])).toMatchObject({ status: 200 });
  },
  cores: async () => {
    const reader = management.app.get(CoreReader);
    for (const core of await management.app.get(CoreRepository).findCores(management.database.manager)) {
      try {
        reader.readEngineConfig(core);
      } catch (error) {
        expect(error).toBeInstanceOf(CoreConfigError);
      }
    }
  },
  nodes: async (count) => {
    const orders = management.app.get(StartRequestBuilder);
    for (const id of ids(count)) {
      const problem = await orders.buildStartRequest(id).then(
        () => undefined,
        (error: unknown) => error,
      );
      const isTold = problem === undefined || problem instanceof CoreConfigError || problem instanceof NodeProblem;
      expect({ id, problem, isTold }).toMatchObject({ isTold: true });
    }
  },
  user_templates: async (count) => {
    for (const id of ids(count)) {
      const body = { user_template_id: id, username: `of${id}` };
      const { status } = await management.call('POST', '/api/user/from_template', body);
      expect([id, status]).toEqual([id, 201]);
    }
  },
  user_proxy_settings: async (count) => {
    await expectSubscriptions(count);
    const { backend } = await management.app.get(StartRequestBuilder).buildStartRequest(1);
    expect([...backend.users].map(({ email }) => email)).toContain('1.steady');
    const bulk = await management.call('POST', '/api/users/bulk/proxy_settings', { method: 'aes-128-gcm' });
    expect(bulk.status).toBe(200);
    const { body } = await management.call('GET', '/api/user/steady');
    expect(body).toMatchObject({ proxy_settings: { shadowsocks: { method: 'aes-128-gcm' } } });
  },
  users: async (count) => {
    await expectSubscriptions(count);
    await copy('users', 'next_plan', [{ id: 999 }]);
    await query(`UPDATE users SET status = 'limited', data_limit = 1, used_traffic = 1 WHERE id >= 999`);
    await management.app.get(UserLifeCycle).run();
    const [begun] = await query('SELECT status, next_plan FROM users WHERE id = 999');
    expect(begun).toEqual({ status: 'active', next_plan: null });
    for (const id of ids(count)) {
      const { status } = await management.call('POST', `/api/user/copy${id}/active_next`);
      expect([200, 404]).toContain(status);
    }
    await query('DELETE FROM users WHERE id = 999');
  },
};

async function expectSubscriptions(count: number): Promise<void> {
  const link = management.app.get(SubscriptionLink);
  const problemsOf = (id: number) => {
    const token = link.urlOf({ userId: id, generation: 0 }, null).split('/').at(-1) ?? '';
    return everything.problems({ username: `copy${id}`, token }, /\{token\}/, turnOf(id - FIRST_COPY));
  };
  const left = ids(count);
  while (left.length > 0) {
    const problems = await Promise.all(left.splice(0, AT_ONCE).map(problemsOf));
    expect(problems.flat()).toEqual([]);
  }
}

describe('a stored document with a value of a wrong type', () => {
  it('breaks no list, subscription or page, and affects no other row', async () => {
    const found = (await columns()).filter(({ table }) => !OTHER_TABLES.includes(table));
    expect(found.length).toBeGreaterThan(10);
    for (const column of found) {
      const count = await spoilCopies(column);
      await expectUnharmed();
      await USED[column.table]?.(count);
      await forgetCopies();
    }
    await expectUnharmed();
  }, 600_000);

  it('is named in the log when it is left out of compiled hosts', async () => {
    const warningsOf = async (column: Column, document: unknown) => {
      warnings.splice(0);
      await copy(column.table, column.column, [{ id: FIRST_COPY }]);
      await query(`UPDATE ${column.table} SET ${column.column} = $1 WHERE id = ${FIRST_COPY}`, [
        stored(column, FIRST_COPY, document),
      ]);
      await changeConfig();
      await expectUnharmed();
      await forgetCopies();
      // Previews compile hosts too, so that a warning may come twice.
      return [...new Set(warnings.filter((text) => text.includes(`${FIRST_COPY}`)))];
    };
    const host = { table: 'hosts', column: 'mux_settings', type: 'json' };
    expect(await warningsOf(host, { xray: { enabled: 5 } })).toEqual([
      'host 1000 has damaged settings, which count as not set: mux_settings.xray.enabled: Input should be true or false',
    ]);
    expect(await warningsOf(CORE_CONFIG, { inbounds: 5 })).toEqual([
      "core 1000 (copy1000) is left out: config doesn't have inbounds",
    ]);
    await copy('users', 'next_plan', [{ id: FIRST_COPY }]);
    await query(`UPDATE users SET next_plan = '[]' WHERE id = ${FIRST_COPY}`);
    expect((await management.call('GET', '/api/user/copy1000')).body).toMatchObject({
      next_plan: { data_limit: 0, problem: 'The stored plan is damaged: set it anew' },
    });
    await forgetCopies();
  });

  it('affects only its own member of the settings', async () => {
    const meant = /\{token\}|\/api\/(settings|users|hosts)$/;
    await management.call('PUT', '/api/settings', SETTINGS);
    for (const [section, stored] of Object.entries(SETTINGS)) {
      for (const [at, document] of spoiled(stored).entries()) {
        await storeSection(section, document);
        const problems = await everything.problems(subjects, meant, turnOf(at));
        expect({ section, document, problems }).toEqual({ section, document, problems: [] });
      }
      await management.call('PUT', '/api/settings', SETTINGS);
    }
    const subscription = { ...Object(SETTINGS['subscription']), rules: [{ pattern: 5 }] };
    await storeSection('subscription', subscription);
    warnings.splice(0);
    expect((await management.call('GET', '/api/settings')).body).toMatchObject({
      subscription: { announce: 'news', rules: expect.arrayContaining([{ pattern: '.*', target: 'links_base64' }]) },
    });
    expect(warnings).toEqual([
      expect.stringContaining(
        'the stored settings section subscription is damaged; its invalid members have their defaults: {"rules.0.pattern"',
      ),
    ]);
  }, 300_000);

  it('affects no setting but its own in the section of probes', async () => {
    const probes = {
      every_minutes: 60,
      after_change: false,
      viewpoints: 3,
      url: '',
      hide_failing: true,
      hide_after: 4,
    };
    await management.call('PUT', '/api/settings/probes', probes);
    for (const [at, document] of spoiled(probes).entries()) {
      await storeSection('probes', document);
      const problems = await everything.problems(subjects, /\{token\}|\/api\/(settings|hosts)/, turnOf(at));
      expect({ document, problems }).toEqual({ document, problems: [] });
    }
    await storeSection('probes', { ...probes, viewpoints: [] });
    expect((await management.call('GET', '/api/settings/probes')).body).toEqual({ ...probes, viewpoints: 2 });
    await query(`DELETE FROM settings WHERE section = 'probes'`);
  });

  it('for the user of probes keeps no user from a node', async () => {
    const orders = management.app.get(StartRequestBuilder);
    const settings = { vmess: { id: 'a' }, vless: { id: 'b', flow: '' }, trojan: { password: 'c' } };
    for (const document of spoiled({ ...settings, shadowsocks: { password: 'd', method: 'aes-128-gcm' } })) {
      await query(`UPDATE probe_user SET revision = 1, inbound_tags = '{vless ws}', proxy_settings = $1`, [
        JSON.stringify(document),
      ]);
      const { backend } = await orders.buildStartRequest(1);
      expect({ document, emails: [...backend.users].map(({ email }) => email) }).toEqual({
        document,
        emails: expect.arrayContaining(['1.steady', '2147483647.probe']),
      });
    }
    await query(`UPDATE probe_user SET revision = 0, inbound_tags = '{}', proxy_settings = NULL`);
  });
});
