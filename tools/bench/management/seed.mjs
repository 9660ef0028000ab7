// Fills the database of the benchmarks with a few statements. All values are derived from the row's number, so that each run
// measures the same data.

/** Common prefix of all user names, as a seller would use. */
export const PREFIX = 'vpn-';
export const ADMINS = 20;
export const GROUPS = 200;
export const HOSTS = 300;

const NAMES = `ARRAY['ali','reza','sara','maryam','ivan','olga','chen','john','emma','lucas','noor','dmitri']`;
const NOTES = `ARRAY['paid in cash','friend of a friend','office, third floor','Иван Петров','کاربر ویژه','trial week']`;

const statements = (users) => [
  `INSERT INTO admins (username, password_hash) SELECT 'seller' || n, 'none' FROM generate_series(1, ${ADMINS}) n`,
  `INSERT INTO groups (name, inbound_tags) SELECT 'group' || n, '{Shadowsocks TCP}' FROM generate_series(1, ${GROUPS}) n`,
  `INSERT INTO hosts (remark, inbound_tag, priority)
   SELECT 'Host ' || n || ' {USERNAME}', 'Shadowsocks TCP', n FROM generate_series(1, ${HOSTS}) n`,
  `INSERT INTO users (username, status, note, expire, data_limit, used_traffic, admin_id, created_at,
     edit_at, online_at)
   SELECT '${PREFIX}' || (${NAMES})[(1 + n * 7 % 12)::int] || n,
     (ARRAY['active','active','active','active','active','active','on_hold','expired','limited','disabled'])[(1 + n % 10)::int],
     CASE WHEN n % 2 = 0 THEN (${NOTES})[(1 + n / 2 % 6)::int] END,
     CASE WHEN n % 4 > 0 THEN now() + n * 7919 % 9000 * interval '1 hour' END,
     n % 9 * 1073741824, n * 7919 % 100000 * 100000, 1 + n % ${ADMINS},
     now() - (${users} - n) * interval '1 minute',
     CASE WHEN n % 3 = 0 THEN now() - n * 7907 % 999983 * interval '1 second' END,
     CASE WHEN n % 5 > 0 THEN now() - n * 7901 % 999979 * interval '1 second' END
   FROM generate_series(1::bigint, ${users}) n`,
  `INSERT INTO user_proxy_settings (user_id, proxy_settings)
   SELECT n, jsonb_build_object(
     'vmess', jsonb_build_object('id', md5('vmess' || n)::uuid),
     'vless', jsonb_build_object('id', md5('vless' || n)::uuid, 'flow', ''),
     'trojan', jsonb_build_object('password', md5('trojan' || n)),
     'shadowsocks', jsonb_build_object('password', md5('shadowsocks' || n), 'method', 'chacha20-ietf-poly1305'))
   FROM generate_series(1::bigint, ${users}) n`,
  'INSERT INTO user_revisions (user_id, revision) SELECT id, 0 FROM users ON CONFLICT DO NOTHING',
  // The last group has no users.
  `INSERT INTO user_groups (user_id, group_id)
   SELECT users.id, 1 + (users.id * 31 + place * 67) % ${GROUPS - 1} FROM users CROSS JOIN generate_series(0, 2) place`,
];

/** Fills a new database and vacuums it. */
export async function seed(database, users) {
  for (const statement of statements(users)) await database.query(statement);
  await database.query('VACUUM (ANALYZE)');
}
