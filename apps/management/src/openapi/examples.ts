/** An example of a request. It omits what the operation does not need. */
export interface Example {
  path?: Readonly<Record<string, string | number>>;
  query?: Readonly<Record<string, unknown>>;
  headers?: Readonly<Record<string, string>>;
  body?: unknown;
}

/** The certificate of examples, self-signed for no host; nobody has its key. Tests use it too. */
export const EXAMPLE_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBfDCCASKgAwIBAgIUKoxwEtRywEPLn7wCxsoDznC5yEIwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJVGVzdCBub2RlMCAXDTI2MTEyMTEwNTYyM1oYDzIxMjYxMDI4
MTA1NjIzWjAUMRIwEAYDVQQDDAlUZXN0IG5vZGUwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAATI/XKh0RJAP3ItEXdG/WmBSzHbDOQSkHJJZIve8b+HpTie07XTyuGe
gshmqDmCw+BsxV07HJPaAX0xokkE0dgco1AwTjAdBgNVHQ4EFgQUob0pDPt1naYf
yauTJPJzI0nrCz4wHwYDVR0jBBgwFoAUob0pDPt1naYfyauTJPJzI0nrCz4wDAYD
VR0TAQH/BAIwADAKBggqhkjOPQQDAgNIADBFAiBF6aq0FclqRnxRngp28Y0/AGP0
NMNri4/9+tSC6g3MqwIhALP+XG1Tm17r4wQ6RO0cFPgj+KcRL/8RUjW6Px52A4i6
-----END CERTIFICATE-----
`;
const TOKEN = 'djEuMS4w.lE0gbIQC9wFz4idR30GRU6DKlWCJbCNp4p9JRJraP3s';
const PROBE_TOKEN = 'Akuwb44BAQEBAQEBAQEBAQGtLSysKWsedbvMvYYPQOtSQtC5haOK1Drh5OwRQA';
const FROM_NOVEMBER = { start: '2026-11-01T00:00:00Z', end: '2026-12-01T00:00:00Z' };
const CORE = {
  name: 'Frankfurt',
  config: {
    inbounds: [{ tag: 'VLESS WS', protocol: 'vless', port: 8080, streamSettings: { network: 'ws' } }],
    outbounds: [{ tag: 'direct', protocol: 'freedom' }],
  },
};
const HOST = {
  remark: '{USERNAME} ({DAYS_LEFT} days)',
  inbound_tag: 'VLESS WS',
  address: ['proxy.example.com'],
  port: 443,
  security: 'tls',
  sni: ['proxy.example.com'],
  priority: 1,
};

/**
 * One example for each operation, by its operationId. A test sends them in this order to a new service with one
 * connected node, so earlier examples create what later ones name.
 */
export const EXAMPLES: Readonly<Record<string, Example>> = {
  healthHealth: {},
  healthLive: {},
  healthReady: {},
  doctorExamine: {},
  openApiDocument: {},
  authLogin: { body: { username: 'root', password: 'correct horse battery' } },
  authStepUp: { body: { password: 'correct horse battery' } },
  authBeginSession: {
    headers: { 'x-rampart-dashboard': '1' },
    body: { username: 'root', password: 'correct horse battery' },
  },

  adminCreate: { body: { username: 'operator', password: 'a long password of one', is_sudo: false } },
  adminSelf: {},
  adminForgetPasswordsWithoutCode: {},
  adminList: { query: { username: 'oper', sort: '-created_at,username', offset: 0, limit: 50 } },
  adminModify: {
    path: { username: 'operator' },
    body: { support_url: 'https://help.example.com', telegram_id: 123456 },
  },

  apiTokenCreate: { body: { name: 'billing', scope: 'users', expires_at: '2027-01-31T12:00:00Z' } },
  apiTokenList: { query: { admin: 'root', limit: 50 } },
  apiTokenDelete: { path: { token_id: 1 } },
  apiTokenDeleteAll: { query: { admin: 'root' } },

  sessionList: { query: { admin: 'root', limit: 50 } },
  sessionEnd: { path: { session_id: 2 } },
  sessionEndOwn: {},
  sessionEndAll: { query: { admin: 'root' } },

  totpEnrol: { body: { password: 'correct horse battery' } },
  totpView: {},
  totpConfirm: { body: { code: '123456' } },
  totpDisable: { body: { password: 'correct horse battery', code: '123456' } },
  totpReset: { path: { username: 'operator' } },

  coreCreate: {
    body: { ...CORE, exclude_inbound_tags: [], fallbacks_inbound_tags: [], private_networks: [] },
  },
  coreGet: { path: { core_id: 2 } },
  coreList: { query: { offset: 0, limit: 50 } },
  coreModify: { path: { core_id: 2 }, query: { restart_nodes: true }, body: { ...CORE, name: 'Frankfurt 1' } },
  coreCheck: {
    query: { id: 2 },
    body: { ...CORE, exclude_inbound_tags: [], fallbacks_inbound_tags: [], private_networks: [] },
  },
  coreRestart: { path: { core_id: 2 } },
  coreInbounds: {},

  groupCreate: { body: { name: 'basic', inbound_tags: ['VLESS WS'], is_disabled: false } },
  groupGet: { path: { group_id: 1 } },
  groupList: { query: { offset: 0, limit: 50 } },
  groupModify: { path: { group_id: 1 }, body: { name: 'basic_1' } },

  hostCreate: { body: HOST },
  hostGet: { path: { host_id: 1 } },
  hostList: { query: { offset: 0, limit: 50 } },
  hostModify: { path: { host_id: 1 }, body: { ...HOST, alpn: ['h2', 'http/1.1'], fingerprint: 'chrome' } },
  hostReorder: { body: { ids: [1] } },
  hostCheck: { query: { id: 1 }, body: HOST },
  hostModifyAll: { body: [{ ...HOST, id: 1, priority: 2 }] },

  probeProbeUnsaved: { body: { ...HOST, address: ['192.0.2.20'], clients: ['xray'] } },
  probeProbe: { path: { host_id: 1 }, body: { clients: ['xray', 'sing_box'] } },
  probeHealth: { query: { history: 3, offset: 0, limit: 50 } },
  probeTargetRead: { path: { token: PROBE_TOKEN } },

  userTemplateCreate: {
    body: {
      name: 'A month with 50 GB',
      group_ids: [1],
      data_limit: 53_687_091_200,
      expire_duration: 2_592_000,
      data_limit_reset_strategy: 'no_reset',
      username_prefix: 'm_',
      extra_settings: { flow: 'none', method: 'chacha20-ietf-poly1305' },
    },
  },
  userTemplateGet: { path: { template_id: 1 } },
  userTemplateList: { query: { offset: 0, limit: 50 } },
  userTemplateModify: {
    path: { template_id: 1 },
    body: { status: 'on_hold', expire_duration: 2_592_000, on_hold_timeout: 604_800 },
  },

  userCreate: {
    body: {
      username: 'alice',
      group_ids: [1],
      expire: '2099-12-31T00:00:00Z',
      data_limit: 10_737_418_240,
      data_limit_reset_strategy: 'month',
      note: 'Paid until the end of the century.',
      next_plan: { data_limit: 1_073_741_824, expire: 2_592_000, add_remaining_traffic: true },
    },
  },
  userGet: { path: { username: 'alice' } },
  userList: { query: { search: 'ali', status: ['active', 'on_hold'], sort: '-created_at', load_sub: true, limit: 50 } },
  userModify: { path: { username: 'alice' }, body: { note: null, data_limit: 21_474_836_480 } },
  userReset: { path: { username: 'alice' } },
  userActivateNextPlan: { path: { username: 'alice' } },
  fromTemplateCreate: { body: { user_template_id: 1, username: 'bob', note: 'A trial.' } },
  fromTemplateModify: { path: { username: 'alice' }, body: { user_template_id: 1 } },
  fromTemplateCreateMany: {
    body: { user_template_id: 1, count: 3, strategy: 'sequence', username: 'guest', start_number: 1 },
  },
  userBulkExpire: { body: { amount: 86_400, status: ['active'], dry_run: true } },
  userBulkDataLimit: { body: { amount: 1_073_741_824, group_ids: [1] } },
  userBulkProxySettings: { body: { users: [1], method: 'aes-256-gcm' } },
  userBulkSetOwner: { path: { username: 'alice' }, query: { admin_username: 'operator' } },
  groupBulkAdd: { body: { group_ids: [1], users: [1] } },
  groupBulkRemove: { body: { group_ids: [1], admins: [2], dry_run: true } },
  adminDisableUsers: { path: { username: 'operator' }, query: { dry_run: true } },
  adminActivateUsers: { path: { username: 'operator' } },
  adminReset: { path: { username: 'operator' } },

  subscriptionByClient: { path: { token: TOKEN } },
  subscriptionInFormat: { path: { token: TOKEN, format: 'links' } },
  subscriptionInfo: { path: { token: TOKEN } },
  subscriptionUsage: { path: { token: TOKEN }, query: { period: 'day', ...FROM_NOVEMBER } },
  subscriptionApplications: { path: { token: TOKEN } },
  previewOfUser: { path: { username: 'alice' }, query: { client: 'sing-box' } },
  previewWithHost: { path: { username: 'alice' }, query: { client: 'v2rayng' }, body: HOST },
  subscriptionUpdateOfUser: { path: { username: 'alice' }, query: { limit: 5 } },
  subscriptionUpdateChart: { query: FROM_NOVEMBER },
  userRevokeSubscription: { path: { username: 'alice' } },

  nodeCreate: {
    body: {
      name: 'Frankfurt 1',
      address: '192.0.2.10',
      port: 62_050,
      connection_type: 'grpc',
      server_ca: EXAMPLE_CERTIFICATE,
      keep_alive: 60,
      core_config_id: 1,
      api_key: '0c2f7f0e-6c3d-4a4b-9b51-3b8e1a9d7f21',
      usage_coefficient: 1.5,
    },
  },
  nodeEnrol: { body: { name: 'Helsinki 1', address: 'hel1.example.com', port: 62_050, core_config_id: 1 } },
  nodeEnrolAgain: { path: { node_id: 3 } },
  nodeGet: { path: { node_id: 2 } },
  nodeList: { query: { core_id: 1, enabled: true, limit: 50 } },
  nodeModify: { path: { node_id: 2 }, body: { name: 'Frankfurt 2', usage_coefficient: 1 } },
  nodeLiveSettings: {},
  nodeLiveAllStats: {},
  nodeLiveStats: { path: { node_id: 1 } },
  nodeLiveOnline: { path: { node_id: 1, username: 'alice' } },
  nodeLiveOnlineAddresses: { path: { node_id: 1, username: 'alice' } },
  eventStream: {},
  nodeLiveLogs: { path: { node_id: 1 } },
  nodeSync: { path: { node_id: 1 }, query: { flush_users: false } },
  nodeReconnect: { path: { node_id: 2 } },
  nodeReconnectAll: { query: { core_id: 1 } },
  nodeRevertUsage: {
    path: { node_id: 1 },
    body: { from: '2026-11-27T09:00:00Z', to: '2026-11-27T11:00:00Z', dry_run: true },
  },
  nodeBulkDisable: { body: { ids: [2] } },
  nodeBulkEnable: { body: { ids: [2] } },
  nodeBulkReconnect: { body: { ids: [2] } },

  usageOfUser: { path: { username: 'alice' }, query: { period: 'day', ...FROM_NOVEMBER } },
  usageOfUsers: { query: { period: 'month', admin: ['operator'], ...FROM_NOVEMBER } },
  usageOfNodes: { query: { period: 'hour', group_by_node: true } },
  settingsAll: {},
  settingsGeneral: {},
  settingsModify: { body: { subscription: { profile_title: '{USERNAME}', update_interval: 6 } } },
  settingsProbes: {},
  settingsModifyProbes: { body: { every_minutes: 60, viewpoints: 2 } },
  systemView: { query: { admin_username: 'operator' } },
  auditList: { query: { action: 'user', limit: 20 } },

  userListExpired: { query: { expired_before: '2026-11-01T00:00:00Z' } },
  userDeleteExpired: { query: { expired_before: '2026-11-01T00:00:00Z', target: 'expired', dry_run: true } },
  userBulkResetTraffic: { query: { dry_run: false } },
  usageClear: { path: { table: 'node_user_usages' }, query: { end: '2026-01-01T00:00:00Z' } },
  userDelete: { path: { username: 'alice' } },
  userTemplateDelete: { path: { template_id: 1 } },
  adminDeleteUsers: { path: { username: 'operator' } },
  adminDelete: { path: { username: 'operator' } },
  nodeDelete: { path: { node_id: 2 } },
  nodeBulkDelete: { body: { ids: [1] } },
  hostDelete: { path: { host_id: 1 } },
  groupDelete: { path: { group_id: 1 } },
  coreDelete: { path: { core_id: 2 } },
  // This example comes last, because it invalidates the token of the caller.
  authChangePassword: { body: { current_password: 'correct horse battery', password: 'another horse battery' } },
};
