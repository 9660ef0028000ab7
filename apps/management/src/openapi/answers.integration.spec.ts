import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LEAF } from '../nodes/testing/certificates.js';
import { TestManagement } from '../testing/test-management.js';
import { OpenApiService } from './open-api.service.js';
import { AnswerChecker, type Route } from './testing/answer-checker.js';

const TAG = 'Shadowsocks TCP';
const CONFIG = {
  inbounds: [{ tag: 'old', protocol: 'vless', port: 443, streamSettings: { network: 'quic' } }],
  outbounds: [{ tag: 'out', protocol: 'freedom' }],
};
const HOST = {
  remark: '{USERNAME}',
  inbound_tag: TAG,
  priority: 1,
  address: ['a.example'],
  alpn: ['h2'],
  status: ['active'],
  http_headers: { accept: '*/*' },
  transport_settings: {
    websocket_settings: { heartbeatPeriod: 1 },
    grpc_settings: { multi_mode: true },
    kcp_settings: { header: 'none' },
    tcp_settings: { header: 'http', request: { headers: { Host: ['a'] } }, response: { status: '200' } },
    xhttp_settings: { mode: 'auto', x_padding_bytes: '1-2', xmux: { maxConnections: 1 } },
  },
  mux_settings: { engine_1: { enabled: true }, engine_2: { brutal: { enable: true } }, engine_3: { statistic: true } },
  fragment_settings: { engine_1: { packets: 'tlshello', length: 1 }, engine_2: { fragment: true } },
  noise_settings: { engine_1: [{ type: 'rand', packet: '1', delay: '1-2' }] },
};
const NODE = {
  name: 'near',
  address: '127.0.0.1',
  port: 9, // no program listens on this port
  connection_type: 'grpc',
  server_ca: LEAF,
  keep_alive: 60,
  core_config_id: 1,
  api_key: '4f9c1d5e-60f7-4a3a-9d0b-2f5b8a7c6e11',
};

/** Objects that are created first, so that no list is empty. */
const CREATED: [path: string, body: object][] = [
  ['/api/admin', { username: 'alice', password: 'correct horse battery', is_sudo: false }],
  ['/api/core', { name: 'second', config: CONFIG }],
  ['/api/group', { name: 'first', inbound_tags: [TAG] }],
  ['/api/host', HOST],
  ['/api/node', NODE],
  ['/api/user_template', { name: 'basic', group_ids: [1], extra_settings: { flow: 'none' } }],
  [
    '/api/user',
    { username: 'alice', group_ids: [1], expire: '2099-01-01', data_limit: 1, next_plan: { data_limit: 2 } },
  ],
  ['/api/user', { username: 'bob', status: 'on_hold', on_hold_expire_duration: 60, on_hold_timeout: 4_000_000_000 }],
  ['/api/user/from_template', { user_template_id: 1, username: 'carol' }],
  ['/api/users/bulk/from_template', { user_template_id: 1, count: 2, strategy: 'random' }],
];
const LISTS = [
  'admins',
  'cores',
  'groups',
  'hosts',
  'nodes',
  'user_templates',
  'users',
  'inbounds',
  'audit',
  'settings',
];

/** Values of path parameters. For any other parameter `1` is used: errors must match the document too. */
const PARAMETERS: Readonly<Record<string, string>> = { username: 'alice', core_id: '2' };

let management: TestManagement;
let checker: AnswerChecker;
beforeAll(async () => {
  management = await TestManagement.start();
  checker = new AnswerChecker(await management.app.get(OpenApiService).document());
});
afterAll(() => management?.close());

const urlOf = (path: string) => path.replaceAll(/\{(\w+)\}/g, (_, name) => PARAMETERS[name] ?? '1');

/** Sends a request, and returns the status and the differences between the answer and the document. */
async function held({ method, path }: Route, body?: object) {
  const answer = await management.request(method, urlOf(path), body);
  const answered = answer.text === '' ? { status: answer.status, body: undefined } : answer;
  return { path, status: answer.status, problems: checker.problems({ method, path }, answered) };
}

describe('requests and answers match the document', () => {
  it.each(CREATED)('POST %s and its answer match the document', async (path, body) => {
    expect(checker.requestProblems({ method: 'POST', path }, body)).toEqual([]);
    expect(await held({ method: 'POST', path }, body)).toEqual({ path, status: 201, problems: [] });
  });

  it.each(LISTS.map((name) => `/api/${name}`))('the answer to GET %s matches the document', async (path) => {
    expect(await held({ method: 'GET', path })).toEqual({ path, status: 200, problems: [] });
  });

  it('the answer to GET /api/users with chosen members matches the document', async () => {
    const answer = await management.request('GET', '/api/users?fields=id');
    expect(answer.body).toMatchObject({ users: expect.arrayContaining([{ id: expect.any(Number) }]) });
    expect(checker.problems({ method: 'GET', path: '/api/users' }, answer)).toEqual([]);
  });

  it('answers to GET of every route with JSON match the document', async () => {
    for (const route of checker.routes('GET')) {
      expect(await held(route)).toMatchObject({ path: route.path, problems: [] });
    }
  });

  it('answers to POST, PUT and PATCH with an empty object match the document on every route', async () => {
    for (const route of checker.routes('POST', 'PUT', 'PATCH')) {
      expect(await held(route, {})).toMatchObject({ path: route.path, problems: [] });
    }
  });

  it('answers to DELETE match the document on every route', async () => {
    for (const route of checker.routes('DELETE')) {
      expect(await held(route)).toMatchObject({ path: route.path, problems: [] });
    }
  });
});

it('AnswerChecker finds members that the document does not describe', () => {
  const asked: Route = { method: 'GET', path: '/api/groups' };
  const group = { name: 'a', inbound_tags: [], is_disabled: 'no', id: 1, total_users: 0, version: 'v', secret: 1 };
  expect(checker.problems(asked, { status: 200, body: { groups: [group], total: 1 } })).toEqual([
    '/groups/0 must NOT have additional properties {"additionalProperty":"secret"}',
    '/groups/0/is_disabled must be boolean {"type":"boolean"}',
  ]);
  const host = { ...HOST, port: 65_536, alpn: ['h4'] };
  expect(checker.requestProblems({ method: 'POST', path: '/api/host' }, host)).toEqual([
    '/port must be <= 65535 {"comparison":"<=","limit":65535}',
    '/alpn/0 must be equal to one of the allowed values {"allowedValues":["h3","h2","http/1.1"]}',
  ]);
  expect(checker.problems(asked, { status: 403, body: { detail: 'no', code: 'USER_EXISTS' } })).toHaveLength(1);
});
