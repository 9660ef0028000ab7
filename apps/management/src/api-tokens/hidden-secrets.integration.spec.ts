import { hash } from 'node:crypto';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { until } from '@rampart/testing';
import { firstValueFrom, of } from 'rxjs';
import { AuditEntry } from '../audit/audit-entry.entity.js';
import { LEAF } from '../nodes/testing/certificates.js';
import { SecretHiding } from '../server/hide-secrets.js';
import { SECRETS, send } from '../testing/mutations/mutation.js';
import { MUTATIONS } from '../testing/mutations/mutations.js';
import { routesOf } from '../testing/routes.js';
import { SUDO, TestManagement } from '../testing/test-management.js';
import { TokenRefusals } from './token-refusals.js';

/** What must be hidden, each with a text that stands nowhere else. */
const MARKERS = {
  'VLESS id': '77777777-0000-4777-8777-000000000001',
  'VMess id': '77777777-0000-4777-8777-000000000002',
  'Trojan password': 'trojan password of a user',
  'Shadowsocks password': 'shadowsocks password of a user',
  'REALITY private key': 'yBaw532IIUNuQWDTncozoBaLJmcd1JZzvsHUgVPxMk8',
  'ML-DSA seed': 'c2VlZC1vZi1tbGRzYTY1LXNlZWQtb2YtbWxkc2E2NS0',
  'TLS private key': 'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIB',
  'ECH key': 'ZWNoLXNlcnZlci1rZXlzLWVjaC1zZXJ2ZXIta2V5cw',
  'Shadowsocks server key': 'c2VydmVyLWtleS0xNi1ieQ==',
  'VLESS decryption': 'mlkem768x25519plus.native.600s.a2V5LW9mLXZsZXNzLWRlY3J5cHRpb24',
  'client of a core': '77777777-0000-4777-8777-000000000003',
  'WireGuard key': 'd2lyZWd1YXJkLXNlY3JldC1rZXktd2lyZWd1YXJkLXM=',
  'password of a chained proxy': 'password of a chained proxy',
  'user of a chained proxy': '77777777-0000-4777-8777-000000000004',
  webhook: 'https://hooks.example/of-an-admin',
  'header of a host': 'Bearer of-a-host',
  'header of a core': 'key of a content delivery network',
  'header of a chained proxy': 'key of a chained proxy',
  'password in a URL of a core': 'password-of-a-name-server',
  'path of a core': '/a-path-of-a-core',
  'path of a host': '/a-path-of-a-host',
  'path of a name server': 'account-at-a-name-server',
  'path of a probe': 'account-at-a-probe',
  'path of a burst of probes': 'account-at-a-burst-of-probes',
  'domain of a portal': 'portal-of-a-core.example',
  'domain of a bridge': 'bridge-of-a-core.example',
  'user of a proxy': 'customer-of-a-proxy',
  'user of an older proxy': 'customer-of-an-older-proxy',
  'user of an inbound': 'customer-of-an-inbound',
} as const;

const PROXY_SETTINGS = {
  vless: { id: MARKERS['VLESS id'] },
  vmess: { id: MARKERS['VMess id'] },
  trojan: { password: MARKERS['Trojan password'] },
  shadowsocks: { password: MARKERS['Shadowsocks password'] },
};

const CORE = {
  inbounds: [
    {
      tag: 'reality',
      protocol: 'vless',
      port: 443,
      settings: { clients: [{ id: MARKERS['client of a core'] }], decryption: 'none' },
      streamSettings: {
        security: 'reality',
        realitySettings: {
          privateKey: MARKERS['REALITY private key'],
          mldsa65Seed: MARKERS['ML-DSA seed'],
          shortIds: ['ab12'],
          serverNames: ['example.com'],
        },
      },
    },
    {
      tag: 'tls',
      protocol: 'trojan',
      port: 444,
      streamSettings: {
        security: 'tls',
        tlsSettings: {
          certificates: [{ certificate: LEAF.trim().split('\n'), key: [MARKERS['TLS private key']] }],
          echServerKeys: MARKERS['ECH key'],
        },
      },
    },
    {
      tag: '2022',
      protocol: 'shadowsocks',
      port: 445,
      settings: { method: '2022-blake3-aes-128-gcm', password: MARKERS['Shadowsocks server key'] },
    },
    {
      tag: 'websocket',
      protocol: 'vless',
      port: 447,
      settings: { decryption: 'none' },
      streamSettings: {
        network: 'ws',
        wsSettings: { path: MARKERS['path of a core'], headers: { 'X-Origin-Pass': MARKERS['header of a core'] } },
      },
    },
    {
      tag: 'local',
      protocol: 'socks',
      port: 448,
      settings: { auth: 'password', accounts: [{ user: MARKERS['user of an inbound'], pass: 'x' }] },
    },
    {
      tag: 'encrypted',
      protocol: 'vless',
      port: 446,
      settings: { decryption: MARKERS['VLESS decryption'], encryption: 'x' },
    },
  ],
  dns: {
    servers: [
      `https://user:${MARKERS['password in a URL of a core']}@dns.example/dns-query`,
      { address: `https://dns.example/${MARKERS['path of a name server']}`, domains: ['domain:a.example'] },
    ],
  },
  observatory: { subjectSelector: ['socks'], probeURL: `https://probe.example/${MARKERS['path of a probe']}` },
  burstObservatory: {
    subjectSelector: ['socks'],
    pingConfig: { destination: `https://probe.example/?id=${MARKERS['path of a burst of probes']}` },
  },
  reverse: {
    portals: [{ tag: 'portal', domain: MARKERS['domain of a portal'] }],
    bridges: [{ tag: 'bridge', domain: MARKERS['domain of a bridge'] }],
  },
  routing: {
    rules: [
      { domain: [`full:${MARKERS['domain of a portal']}`, 'domain:a.example'], outboundTag: 'portal' },
      { inboundTag: ['bridge'], domain: `full:${MARKERS['domain of a bridge']}`, outboundTag: 'direct' },
      { user: ['1.secret'], outboundTag: 'direct' },
    ],
  },
  outbounds: [
    { tag: 'direct', protocol: 'freedom' },
    {
      tag: 'http',
      protocol: 'http',
      settings: {
        servers: [{ address: 'a.example', port: 1 }],
        headers: { 'X-Auth-Key': MARKERS['header of a chained proxy'] },
      },
    },
    {
      tag: 'socks',
      protocol: 'socks',
      settings: { address: 'a.example', port: 1, user: MARKERS['user of a proxy'], pass: 'x' },
    },
    {
      tag: 'older',
      protocol: 'socks',
      settings: {
        servers: [{ address: 'a.example', port: 1, users: [{ user: MARKERS['user of an older proxy'], pass: 'x' }] }],
      },
    },
    { tag: 'wg', protocol: 'wireguard', settings: { secretKey: MARKERS['WireGuard key'], peers: [] } },
    {
      tag: 'chained',
      protocol: 'trojan',
      settings: { servers: [{ address: 'a.example', port: 1, password: MARKERS['password of a chained proxy'] }] },
    },
    {
      tag: 'other',
      protocol: 'vless',
      settings: {
        vnext: [
          { address: 'a.example', port: 1, users: [{ id: MARKERS['user of a chained proxy'], encryption: 'none' }] },
        ],
      },
    },
  ],
};

const HOST = { remark: 'host', inbound_tag: 'reality', address: ['a.example'], priority: 1 };

/** They never end, and are read on their own. */
const STREAMS = ['GET /api/events', 'GET /api/node/:node_id/logs'];

let management: TestManagement;
let urls: string[];
let subscription: string;
beforeAll(async () => {
  management = await TestManagement.start();
  const make = async (url: string, body: object): Promise<{ id: number; subscription_url?: string }> => {
    const answer = await management.call('POST', url, body);
    expect(answer).toMatchObject({ status: 201 });
    return Object(answer.body);
  };
  const core = await make('/api/core', { name: 'secret', config: CORE });
  await make('/api/group', { name: 'group', inbound_tags: ['reality', 'tls', '2022'] });
  const host = await make('/api/host', {
    ...HOST,
    http_headers: { authorization: MARKERS['header of a host'] },
    path: MARKERS['path of a host'],
  });
  const user = await make('/api/user', { username: 'secret', group_ids: [1], proxy_settings: PROXY_SETTINGS });
  subscription = new URL(String(user.subscription_url)).pathname.replace('/sub/', '');
  await make('/api/user', { username: '0f0e0d0c-0b0a-4909-8807-060504030201' });
  await make('/api/admin', {
    username: 'hooked',
    password: SUDO.password,
    is_sudo: false,
    discord_webhook: MARKERS.webhook,
  });
  // What is done to every kind of object stands in the log of changes.
  for (const route of ['POST /api/node', 'PUT /api/core/:core_id', 'POST /api/user/:username/revoke_sub'])
    await send(management, route, await MUTATIONS[route]!.prepare(management));
  const values: Record<string, string> = { username: 'secret', core_id: `${core.id}`, host_id: `${host.id}` };
  urls = routesOf(management.app)
    .filter(({ method, level, route }) => method === 'GET' && level !== 'public' && !STREAMS.includes(route))
    .flatMap(({ path }) => {
      const url = path.replaceAll(/:(\w+)/g, (_, name) => values[name] ?? '1');
      return url === '/api/users'
        ? [url, `${url}?load_sub=true`, `${url}?load_sub=true&fields=subscription_url`]
        : [url];
    });
});
afterAll(() => management?.close());

async function token(body: object): Promise<string> {
  const expires_at = new Date(Date.now() + 3_600_000).toISOString();
  const answer = await management.call('POST', '/api/admin/tokens', { name: 'bot', expires_at, ...body });
  expect(answer.status).toBe(201);
  return Object(answer.body).token;
}

/** The markers in all answers to a token, with the first address that tells each. */
async function told(by: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const url of urls) {
    const { status, headers, text } = await management.request('GET', url, undefined, by);
    expect([url, status]).not.toEqual([url, 500]);
    const answer = JSON.stringify(headers) + text.replaceAll('\\/', '/');
    for (const [name, marker] of [...Object.entries(MARKERS), ['subscription', subscription]] as const)
      if (answer.includes(marker) && !found.has(name)) found.set(name, url);
  }
  return found;
}

/** These tell what they have made for whoever asks, of which the log has an entry of its own. */
const OWN_DEEDS = ['POST /api/admin/token', 'POST /api/admin/tokens', 'POST /api/users/bulk/from_template'];
/** Nothing in them is a secret, though it may look like one: the log has its own masks, and the document is the same everywhere. */
const NO_SECRETS = ['/api/audit', '/api/openapi.json'];

/** Whether an answer has something that would be hidden from a token that only reads. */
async function tellsSecrets(answer: string): Promise<boolean> {
  const text = answer.replaceAll('\\/', '/');
  if ([...Object.values(MARKERS), ...Object.values(SECRETS), subscription].some((secret) => text.includes(secret)))
    return true;
  if (!/^[[{]/.test(answer)) return false;
  const request = { actor: { scope: 'read' }, routeOptions: { config: {} } };
  const context = { switchToHttp: () => ({ getRequest: () => request }) };
  const plain: unknown = JSON.parse(answer);
  const hidden = await firstValueFrom(new SecretHiding().intercept(Object(context), { handle: () => of(plain) }));
  return JSON.stringify(hidden) !== JSON.stringify(plain);
}

const entriesOf = async (action: string) =>
  (await management.database.manager.find(AuditEntry, { where: { action }, order: { id: 'ASC' } })).map(
    ({ actor, target, difference }) => [actor, target, difference],
  );

describe('secrets', () => {
  it('security row 55: are in no answer to a token that only reads, on no route', async () => {
    const [reading, granted] = [await token({ scope: 'read' }), await token({ scope: 'read', grants: ['secrets'] })];
    expect([...(await told(reading))]).toEqual([]);
    expect([...(await told(granted)).keys()].toSorted()).toEqual([...Object.keys(MARKERS), 'subscription'].toSorted());
  });

  it('security row 55: are hidden from a token that only reads by ***, and the rest is shown', async () => {
    const reading = await token({ scope: 'read' });
    const whole = Object((await management.call('GET', '/api/user/secret')).body);
    expect((await management.call('GET', '/api/user/secret', undefined, reading)).body).toEqual({
      ...whole,
      subscription_url: '***',
      proxy_settings: {
        vless: { id: '***', flow: '' },
        vmess: { id: '***' },
        trojan: { password: '***' },
        shadowsocks: { password: '***', method: 'chacha20-ietf-poly1305' },
      },
    });
    const { users } = Object((await management.call('GET', '/api/users?load_sub=true', undefined, reading)).body);
    expect(users[0]).toMatchObject({ subscription_url: '***', proxy_settings: { vless: { id: '***' } } });
    expect(users.map(({ username }: { username: string }) => username)).toContain(
      '0f0e0d0c-0b0a-4909-8807-060504030201',
    );
    const { cores } = Object((await management.call('GET', '/api/cores', undefined, reading)).body);
    expect(cores.at(-2).config.inbounds[0].streamSettings.realitySettings).toEqual({
      privateKey: '***',
      mldsa65Seed: '***',
      shortIds: ['ab12'],
      serverNames: ['example.com'],
    });
    const { tokens } = Object((await management.call('GET', '/api/admin/tokens', undefined, reading)).body);
    expect(tokens[0]).toMatchObject({ name: 'bot', scope: 'read', grants: [], allowed_networks: [] });
  });

  it('security row 55: that are not members of an answer are refused to a token that only reads', async () => {
    const [reading, granted] = [await token({ scope: 'read' }), await token({ scope: 'read', grants: ['secrets'] })];
    for (const url of ['/api/node/1/logs', '/api/user/secret/preview']) {
      expect(await management.call('GET', url, undefined, reading)).toEqual({
        status: 403,
        body: { detail: 'This API token needs the grant secrets for this', code: 'API_TOKEN_SECRETS' },
      });
      expect((await management.call('GET', url, undefined, granted)).status).not.toBe(403);
    }
  });

  it.each(['VLESS id', 'VMess id', 'Trojan password', 'Shadowsocks password'] as const)(
    'security row 55: cannot be tried out by a token that only reads: %s',
    async (name) => {
      const [reading, granted] = [await token({ scope: 'read' }), await token({ scope: 'read', grants: ['secrets'] })];
      for (const guess of [MARKERS[name], 'a wrong guess'])
        for (const more of ['', '&fields=id', '&limit=1&search=secret']) {
          const url = `/api/users?proxy_id=${encodeURIComponent(guess)}${more}`;
          expect(await management.call('GET', url, undefined, reading)).toEqual({
            status: 403,
            body: { detail: 'This API token needs the grant secrets for this', code: 'API_TOKEN_SECRETS' },
          });
          const { body } = await management.call('GET', url, undefined, granted);
          expect(Object(body).total).toBe(guess === MARKERS[name] ? 1 : 0);
        }
    },
  );

  it.each([
    'https://user:of-a-note@example.com/x',
    'user:of-a-note@example.com',
    'see https://example.com/?a=b&token=of-a-note',
    'vmess://of-a-note',
    'SS://of-a-note#name',
  ])('security row 55: in a note are not found by a token that only reads: %s', async (note) => {
    const [reading, granted] = [await token({ scope: 'read' }), await token({ scope: 'read', grants: ['secrets'] })];
    const usernames = async (by: string, search: string, more = '') => {
      const url = `/api/users?search=${encodeURIComponent(search)}${more}`;
      const { users, total } = Object((await management.call('GET', url, undefined, by)).body);
      expect(total).toBe(users.length);
      return users.map(({ username }: { username: string }) => username);
    };
    await management.call('PUT', '/api/user/secret', { note });
    expect((await management.call('GET', '/api/user/secret', undefined, reading)).body).toMatchObject({
      note: expect.not.stringContaining('of-a-note'),
    });
    for (const more of ['', '&status=active', '&sort=-username']) {
      expect(await usernames(granted, 'of-a-note', more)).toEqual(['secret']);
      expect(await usernames(reading, 'of-a-note', more)).toEqual([]);
      expect(await usernames(reading, 'SECRE', more)).toEqual(['secret']);
    }
    await management.call('PUT', '/api/user/secret', { note: 'paid at 12:30, of-a-note' });
    expect(await usernames(reading, 'OF-a-note')).toEqual(['secret']);
  });

  it('security row 55: are not to be computed from a version', async () => {
    const reading = await token({ scope: 'read' });
    const plainHash = (value: unknown) => hash('sha256', JSON.stringify(value), 'base64url').slice(0, 22);
    for (const url of ['/api/host/1', '/api/core/2', '/api/group/1', '/api/settings', '/api/settings/probes']) {
      const whole = await management.request('GET', url);
      const masked = await management.request('GET', url, undefined, reading);
      const { version, warnings, id, created_at, total_users, ...edited } = Object(whole.body);
      const { etag } = whole.headers;
      expect([url, etag]).toEqual([url, expect.stringMatching(/^"[\w-]{22}"$/)]);
      expect([masked.headers['etag'], Object(masked.body).version]).toEqual([etag, version]);
      const guesses = [edited, { id, ...edited }, [edited.subscription, edited.general]];
      expect(guesses.map((guess) => `"${plainHash(guess)}"`)).not.toContain(etag);
    }
  });

  it('security row 55: are in no event', async () => {
    const headers = { authorization: `Bearer ${await token({ scope: 'read' })}` };
    const { stream } = await Object(
      management.app.inject({ method: 'GET', url: '/api/events', headers, payloadAsStream: true } as object),
    ).then((answer: { stream: () => NodeJS.ReadableStream }) => ({ stream: answer.stream() }));
    let text = '';
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    await once(stream, 'data');
    await management.call('PUT', '/api/user/secret', { note: 'an event', proxy_settings: PROXY_SETTINGS });
    while (!text.includes('"user"')) await once(stream, 'data');
    Object(stream).destroy();
    for (const marker of Object.values(MARKERS)) expect(text).not.toContain(marker);
  });

  it.each(['users', 'all'] as const)(
    'of users are shown to a token of the scope %s, which manages them',
    async (scope) => {
      const by = await token({ scope });
      expect((await management.call('GET', '/api/user/secret', undefined, by)).body).toMatchObject({
        proxy_settings: PROXY_SETTINGS,
      });
    },
  );

  it('security row 55: what hides a secret is refused in its place', async () => {
    const body = { proxy_settings: { trojan: { password: '***' } } };
    expect(await management.call('PUT', '/api/user/secret', body)).toEqual({
      status: 422,
      body: {
        detail: { 'proxy_settings.trojan.password': 'is what hides a secret: leave it out, or send the secret' },
        code: 'INVALID_FIELDS',
      },
    });
  });

  it('security row 55: reads of secrets by tokens are in the log of changes, once in an hour for each kind', async () => {
    const before = (await entriesOf('api_token.read_secrets')).length;
    const by = await token({ scope: 'read', grants: ['secrets'] });
    const { tokens } = Object((await management.call('GET', '/api/admin/tokens')).body);
    const target = `api_token/${tokens[0].id}`;
    for (const url of ['/api/users', '/api/user/secret', '/api/cores', '/api/user/secret/preview', '/api/groups'])
      expect((await management.call('GET', url, undefined, by)).status).toBe(200);
    await management.call('GET', '/api/users', undefined, await token({ scope: 'read' }));
    await management.call('GET', '/api/users');
    expect((await entriesOf('api_token.read_secrets')).slice(before)).toEqual([
      ['root', target, { read: { after: 'users' } }],
      ['root', target, { read: { after: 'cores' } }],
      ['root', target, { read: { after: 'subscriptions' } }],
    ]);
  });
});

describe('security row 100: an answer that tells an API token secrets leaves an entry of the log of changes', () => {
  /** Answers to a new API token that tell secrets, though no entry says that it has read some. */
  async function unlogged(ask: (by: string) => Promise<string>): Promise<string[]> {
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const body = { name: 'bot', scope: 'all', grants: ['identity', 'secrets'], expires_at };
    const { id, token: by } = Object((await management.call('POST', '/api/admin/tokens', body)).body);
    const answer = await ask(by);
    const isLogged = (await entriesOf('api_token.read_secrets')).some(([, target]) => target === `api_token/${id}`);
    await management.call('DELETE', `/api/token/${id}`);
    return !isLogged && (await tellsSecrets(answer)) ? [answer] : [];
  }
  const answerTo = async (...request: Parameters<TestManagement['request']>) =>
    (await management.request(...request)).text;

  it('on every route that reads', async () => {
    const found: [string, string[]][] = [];
    for (const url of urls.filter((path) => !NO_SECRETS.includes(path)))
      found.push([url, await unlogged((by) => answerTo('GET', url, undefined, by))]);
    expect(found.filter(([, answers]) => answers.length > 0)).toEqual([]);
  });

  it.each(Object.keys(MUTATIONS).filter((route) => !OWN_DEEDS.includes(route)))(
    'also of an old version: %s',
    async (route) => {
      const { url, body, by: own, headers } = await MUTATIONS[route]!.prepare(management);
      if (own) return;
      const method = route.slice(0, route.indexOf(' ')) as 'POST';
      for (const stale of [{ 'if-match': '"of another time"' }, {}])
        expect(await unlogged((by) => answerTo(method, url, body, by, { ...headers, ...stale }))).toEqual([]);
    },
  );

  it.each([
    ['/api/cores/check?id=2', { name: 'other', config: CORE }],
    ['/api/hosts/check?id=1', { ...HOST, http_headers: { authorization: 'Bearer of-another-host' } }],
    ['/api/user/secret/preview?client=v2rayng', HOST],
  ])('where nothing changes: POST %s', async (url, body) => {
    const ask = async (by: string): Promise<string> => {
      const { status, text } = await management.request('POST', url, body, by);
      expect({ status, text }).toMatchObject({ status: 200 });
      return text;
    };
    expect(await unlogged(ask)).toEqual([]);
  });
});

describe('security row 126: the entries of reads', () => {
  const reader = async () => {
    const by = await token({ scope: 'read', grants: ['secrets'] });
    const before = (await entriesOf('api_token.read_secrets')).length;
    const entries = async () => (await entriesOf('api_token.read_secrets')).slice(before).map(([, , read]) => read);
    const read = async (remoteAddress = '192.0.2.1') =>
      management.app.inject({
        method: 'GET',
        url: '/api/user/secret',
        headers: { authorization: `Bearer ${by}` },
        remoteAddress,
      });
    return { read, entries };
  };
  const ONE = { read: { after: 'users' } };

  it('are made for each network from which a token is used, and beyond twenty for all others together', async () => {
    const { read, entries } = await reader();
    for (const address of ['192.0.2.1', '192.0.2.9', '198.51.100.1', '2001:db8:1::1', '2001:db8:1:1::1'])
      expect((await read(address)).statusCode).toBe(200);
    expect(await entries()).toEqual([ONE, ONE, ONE]);
    for (let n = 0; n < 30; n += 1) await read(`203.0.${n}.1`);
    expect(await entries()).toHaveLength(21);
  });

  it('are there before anything is told', async () => {
    const { read, entries } = await reader();
    const [owner] = await management.asOwner<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    await management.asOwner('BEGIN');
    await management.asOwner('LOCK TABLE audit_entries IN SHARE MODE');
    const told: number[] = [];
    const reads = [read(), read()].map((answer) => answer.then(({ statusCode }) => told.push(statusCode)));
    const waiting = 'SELECT pid FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))';
    await until(async (saw) => saw(await management.asOwner(waiting, [owner?.pid])).length === 1);
    expect((await management.call('GET', '/api/admin')).status).toBe(200);
    expect(told).toEqual([]);
    await management.asOwner('COMMIT');
    await Promise.all(reads);
    expect([told, await entries()]).toEqual([[200, 200], [ONE]]);
  });

  it('are tried again with the next read where none could be written', async () => {
    const { read, entries } = await reader();
    const refuse = `CREATE FUNCTION refuse_entry() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE 'no entry' USING ERRCODE = 'disk_full'; END $$`;
    await management.asOwner(refuse);
    await management.asOwner(
      'CREATE TRIGGER refuse_entry BEFORE INSERT ON audit_entries EXECUTE FUNCTION refuse_entry()',
    );
    const refused = [await read(), await read()];
    expect(refused.map(({ statusCode }) => statusCode)).toEqual([500, 500]);
    expect(refused.map(({ body }) => body.includes(MARKERS['VLESS id']))).toEqual([false, false]);
    await management.asOwner('DROP FUNCTION refuse_entry CASCADE');
    expect([(await read()).statusCode, await entries()]).toEqual([200, [ONE]]);
  });
});

describe('the networks of an API token', () => {
  it('security row 56: an API token is refused from other networks than its own, which is logged', async () => {
    const by = await token({ scope: 'all', allowed_networks: ['192.0.2.0/24', '2001:db8::1'] });
    expect(await management.call('GET', '/api/admin', undefined, by)).toEqual({
      status: 403,
      body: { detail: 'This API token may not be used from this address', code: 'API_TOKEN_NETWORK' },
    });
    const { tokens } = Object((await management.call('GET', '/api/admin/tokens')).body);
    const { id } = tokens[0];
    expect(tokens[0].allowed_networks).toEqual(['192.0.2.0/24', '2001:db8::1']);
    expect((await entriesOf('api_token.refused')).at(-1)).toEqual([
      'root',
      `api_token/${id}`,
      { address: { after: '127.0.0.1' } },
    ]);
    await management.database.query(`UPDATE api_tokens SET allowed_networks = '{127.0.0.0/8}' WHERE id = $1`, [id]);
    expect((await management.call('GET', '/api/admin', undefined, by)).status).toBe(200);
  });

  it('security row 73: refused uses of an API token are one entry for each network and hour, and a sum', async () => {
    const by = await token({ scope: 'read', allowed_networks: ['192.0.2.0/24'] });
    const refusals = management.app.get(TokenRefusals);
    const before = (await entriesOf('api_token.refused')).length;
    const hour = Math.floor(Date.now() / 3_600_000) * 3_600_000;
    const clock = jest.spyOn(Date, 'now').mockReturnValue(hour + 1_000);
    const use = async (remoteAddress: string) => {
      const headers = { authorization: `Bearer ${by}` };
      const { statusCode } = await management.app.inject({ method: 'GET', url: '/api/admin', headers, remoteAddress });
      expect(statusCode).toBe(403);
    };
    for (let n = 1; n <= 30; n += 1) await use(`2001:db8:1:${n}::${n}`);
    for (let n = 1; n <= 5; n += 1) await use(`198.51.100.${n}`);
    for (let n = 1; n <= 40; n += 1) await use(`2001:db8:${n + 100}::1`);
    const entries = async () => (await entriesOf('api_token.refused')).slice(before).map(([, , after]) => after);
    expect(await entries()).toEqual(
      ['2001:db8:1:1::1', '198.51.100.1', ...Array.from({ length: 19 }, (_, n) => `2001:db8:${n + 101}::1`)].map(
        (address) => ({ address: { after: address } }),
      ),
    );
    clock.mockReturnValue(hour + 3_600_000);
    await refusals.run(new Date(hour + 3_600_000));
    const sum = (network: string, count: number) => ({
      network: { after: network },
      refusals: { after: count },
      hour: { after: new Date(hour).toISOString() },
    });
    expect((await entries()).slice(21)).toEqual([
      sum('2001:db8:1::/48', 30),
      sum('198.51.100.0/24', 5),
      sum('other', 22),
    ]);
    await use('198.51.100.1');
    await refusals.run(new Date(hour + 2 * 3_600_000));
    expect((await entries()).slice(24)).toEqual([{ address: { after: '198.51.100.1' } }]);
    clock.mockRestore();
  });

  it.each([[['nowhere']], [['192.0.2.0/33']], [[5]], ['192.0.2.1']])('cannot be %j', async (allowed_networks) => {
    const body = {
      name: 'bot',
      scope: 'read',
      expires_at: new Date(Date.now() + 60_000).toISOString(),
      allowed_networks,
    };
    expect(await management.call('POST', '/api/admin/tokens', body)).toEqual({
      status: 422,
      body: {
        detail: { allowed_networks: 'Input should be a list of at most 100 networks such as 192.0.2.0/24' },
        code: 'INVALID_FIELDS',
      },
    });
  });
});
