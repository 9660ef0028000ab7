import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type KeyName, keyFileIn } from '../keys/keys.js';
import { CORE, HOST, type Json, NODE, TEMPLATE } from './full-bodies.js';
import { dumpDatabase } from './schema-dump.js';
import type { TestManagement } from './test-management.js';

const FOLDER = join(import.meta.dirname, '../../released-schemas');

/** What people and programs have of an installation besides its database. */
export interface ReleasedInstallation {
  keys: Record<KeyName, string>;
  apiToken: string;
  users: { username: string; path: string; credential: string }[];
  node: { id: number; apiKey: string };
}

/** The versions that have a dump, oldest first. */
export const releasedVersions = (): string[] =>
  readdirSync(FOLDER)
    .flatMap((name) => (name.endsWith('.sql') ? [name.slice(0, -'.sql'.length)] : []))
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));

export const readReleased = (version: string): { dump: string; installation: ReleasedInstallation } => ({
  dump: readFileSync(join(FOLDER, `${version}.sql`), 'utf8'),
  installation: JSON.parse(readFileSync(join(FOLDER, `${version}.json`), 'utf8')),
});

/** Fills a new installation through its API, and writes its dump as that of this version. */
export async function writeReleased(management: TestManagement, version: string): Promise<void> {
  const installation = await fill(management);
  writeFileSync(join(FOLDER, `${version}.sql`), await dumpDatabase(management.database));
  writeFileSync(join(FOLDER, `${version}.json`), `${JSON.stringify(installation, null, 2)}\n`);
}

async function fill(management: TestManagement): Promise<ReleasedInstallation> {
  const made = async (url: string, body: Json): Promise<Json> => {
    const answer = await management.request('POST', url, body);
    if (answer.status !== 201) throw new Error(`POST ${url} answered ${answer.status}: ${answer.text}`);
    return Object(answer.body);
  };
  await made('/api/core', { ...CORE, name: 'second' });
  await made('/api/group', { name: 'all', inbound_tags: ['Shadowsocks TCP', 'vless ws'] });
  await made('/api/host', {
    remark: '{USERNAME}',
    inbound_tag: 'Shadowsocks TCP',
    priority: 1,
    address: ['192.0.2.1'],
  });
  await made('/api/host', {
    ...HOST,
    inbound_tag: 'Shadowsocks TCP',
    security: 'none',
    status: null,
    transport_settings: null,
  });
  await made('/api/user_template', { ...TEMPLATE, name: 'month', status: 'active', on_hold_timeout: null });
  await made('/api/admin', { username: 'seller', password: 'correct horse battery', is_sudo: false });
  const node = await made('/api/node', NODE);
  await management.call('PUT', `/api/node/${node['id']}`, { status: 'disabled' });
  const { token } = await made('/api/admin/tokens', { name: 'bot', scope: 'read', expires_at: null });
  const users: ReleasedInstallation['users'] = [];
  for (const body of [
    { username: 'anna', note: 'has a note', data_limit: 5_000_000 },
    { username: 'held', status: 'on_hold', on_hold_expire_duration: 86_400 },
    { username: 'planned', next_plan: { user_template_id: 1, data_limit: 5, expire: 60, add_remaining_traffic: true } },
  ]) {
    const user = await made('/api/user', { ...body, group_ids: [1] });
    const path = new URL(String(user['subscription_url'])).pathname;
    users.push({ username: body.username, path, credential: Object(user['proxy_settings']).shadowsocks.password });
  }
  const keys = JSON.parse(readFileSync(keyFileIn(management.folder), 'utf8'));
  return { keys, apiToken: String(token), users, node: { id: Number(node['id']), apiKey: String(NODE['api_key']) } };
}
