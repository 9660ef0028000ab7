import type { DataSource } from 'typeorm';
import { createLogMonth } from '../../database/schema/log-months.js';
import { createUsagePartition } from '../../usage/usage-partitions.js';

/** Texts that a line-based format could confuse. */
const HOSTILE = ['\\.', '\\N', 'a\tb\nc\rd', '\\\\.\n\\.\n', '"quoted", {braces}', 'ünïcödé 👋 \u2028', ''];

/** Every statement fills tables that the ones before it have not filled. Each table has at least one row at the end. */
const STATEMENTS = [
  `INSERT INTO admins (username, password_hash, notification_enable, used_traffic) VALUES ('seller', 'hash', '{"a" : [1, null]}', 9007199254740991)`,
  `INSERT INTO api_tokens (admin_id, name, hash, scope, expires_at) VALUES (1, 'bot', '\\x00ff5c2e0a', 'read', 'infinity')`,
  `INSERT INTO admin_sessions (admin_id, kind, hash, token_version, address, authenticated_at, expires_at) VALUES (1, 'browser', '\\x00ff5c2e0a', 0, '2001:db8::1', now(), 'infinity')`,
  `INSERT INTO admin_totps (admin_id, secret_encrypted, last_step, recovery_hashes) VALUES (1, '\\x02ff', 9007199254740993, '{a,"b,c"}')`,
  `INSERT INTO login_failures (subject, failures, since, ends_at, forgotten_at)
   VALUES ('anna/10.0.0.1', 3, '2026-11-01 10:20:30.123456+00', 'infinity', 'infinity')`,
  `INSERT INTO admin_origins VALUES (1, 'network:192.0.2.0/24')`,
  `INSERT INTO user_creations VALUES (1, '-infinity', 2147483647)`,
  `INSERT INTO unknown_name_failures VALUES ('2026-11-01 10:00:00+00', 'other', 2147483647)`,
  `INSERT INTO passwords_without_code (admin_id, network, hour, tries) VALUES (1, '2001:db8::/48', '-infinity', 1)`,
  `INSERT INTO known_keys (name, key_id, is_newest) VALUES ('other', 'f', false)`,
  `INSERT INTO settings VALUES ('general', '{"text": "\\\\. and \\n", "number": 1e400}')`,
  `INSERT INTO groups (name, inbound_tags) VALUES ('first', '{a,"b,c","d\\"e","\\\\.",NULL}'), ('second', '{}')`,
  `INSERT INTO hosts (remark, inbound_tag, priority, address, http_headers) VALUES ('{USERNAME}', 'a', 1, '{x,""}', '{"b":1,"a":2}')`,
  `INSERT INTO host_health (host_id, status, since, checked_at) VALUES (1, 'fails', 'infinity', '-infinity')`,
  `INSERT INTO host_probes (host_id, checked_at, clients, address, port, server_name, error, advice, server_address, handshake_ms, first_byte_ms, bytes_per_second, http_status)
   VALUES (1, now(), '{xray}', 'a', 1, '', 'dial \\\\N', '', '', 0, 0, 9007199254740991, 0)`,
  `INSERT INTO cores (id, name, config_sealed) VALUES (1, 'of the first start', '\\x02ff')`,
  `INSERT INTO user_groups SELECT users.id, groups.id FROM users CROSS JOIN groups`,
  `INSERT INTO user_proxy_settings (user_id, proxy_settings) SELECT id, jsonb_build_object('vless', jsonb_build_object('id', gen_random_uuid())) FROM users`,
  `INSERT INTO user_credential_keys (user_id, vless) SELECT id, gen_random_uuid() FROM users`,
  `INSERT INTO past_user_tags VALUES (1, 'a\\b', now())`,
  `INSERT INTO past_group_tags VALUES (1, 'a', '-infinity')`,
  `INSERT INTO past_node_tags VALUES (1, '', now())`,
  `INSERT INTO user_revisions SELECT id, id FROM users`,
  `INSERT INTO user_tombstones VALUES (999, '999.gone', 7)`,
  `INSERT INTO user_subscription_updates VALUES (1, '{"v2rayNG/1.8\\\\"}', '{2026-11-01 00:00:00+00}')`,
  `INSERT INTO user_templates (name, extra_settings) VALUES ('month', '{"flow": ""}')`,
  `INSERT INTO user_template_groups VALUES (1, 1)`,
  `INSERT INTO bulk_operations (action, actor, terms, digest, position, last_id, affected_users, leased_until)
   VALUES ('users.modify', '{}', '{}', 'd', 1, 2, 3, now())`,
  `INSERT INTO user_traffic_notices VALUES (1, '-infinity')`,
  `INSERT INTO unsettled_users (user_id, retry_at) VALUES (1, now())`,
  `INSERT INTO node_authorities (certificate, key_encrypted) VALUES ('pem\n', '\\x02')`,
  `INSERT INTO nodes (name, address, port, connection_type, server_ca, keep_alive, core_config_id, api_key_encrypted, usage_coefficient, pinned_core_sealed)
   VALUES ('near', '10.0.0.1', 1, 'grpc', 'pem\n', 60, 1, '\\x02', 0.1, '\\x02ff'), ('odd', '10.0.0.2', 1, 'rest', '', 60, NULL, '\\x', 'NaN', NULL)`,
  `INSERT INTO counter_readings VALUES (1, 1, '10.0.0.1:1', now(), 5, 6, 7)`,
  `INSERT INTO user_counters SELECT 1, id, id, 2 * id FROM users`,
  `INSERT INTO node_user_usages SELECT id, '2026-09-05 07:00:00+00', 1, 5 FROM users`,
  `INSERT INTO admin_usages VALUES (1, '2026-09-05 07:00:00+00', 1, 5)`,
  `INSERT INTO node_usages VALUES ('2026-09-05 07:00:00+00', 1, 5, 6, 7)`,
  `INSERT INTO audit_entries (at, actor, action, target, difference) VALUES
   ('2026-09-30 23:59:59.999999+00', 'anna', 'user.create', 'user/1', '{ "spaces":  1 }'), (now(), 'anna', 'user.create', 'user/2', '{}')`,
  `INSERT INTO user_traffic_resets (user_id, used_traffic, reset_at) VALUES (1, 5, '2026-09-30 23:59:59+00')`,
  `INSERT INTO admin_traffic_resets (admin_id, used_traffic) VALUES (1, 5)`,
  `SELECT setval('hosts_id_seq', 77), nextval('nodes_id_seq')`,
];

/** Puts rows with awkward values into every table, some into partitions of earlier months. */
export async function fillTables(database: DataSource): Promise<void> {
  const earlier = new Date('2026-09-05T00:00:00Z');
  await database.transaction(async (manager) => {
    for (const log of ['audit_entries', 'user_traffic_resets'] as const) await createLogMonth(manager, log, earlier);
    await createUsagePartition(manager, earlier);
    for (const [n, note] of HOSTILE.entries())
      await manager.query('INSERT INTO users (username, note, created_at) VALUES ($1, $2, $3)', [
        `user${n}`,
        note,
        '2026-10-11 12:13:14.151617+00',
      ]);
    await manager.query(`DELETE FROM users WHERE username = 'user3'`);
    for (const statement of STATEMENTS) await manager.query(statement);
  });
}
