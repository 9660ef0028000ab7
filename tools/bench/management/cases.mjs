// The measured cases: a request, the plain SQL that its answer needs, and the goal in milliseconds.
import { GROUPS, PREFIX } from './seed.mjs';

/** Columns of a user in the list of users. */
const USER = `users.*,
  (SELECT proxy_settings FROM user_proxy_settings WHERE user_id = users.id) AS proxy_settings,
  (SELECT username FROM admins WHERE admins.id = users.admin_id) AS admin,
  ARRAY (SELECT group_id FROM user_groups WHERE user_id = users.id ORDER BY group_id) AS group_ids`;

const SORTS = {
  username: 'username',
  '-created_at': 'created_at DESC',
  expire: 'expire',
  '-edit_at': 'edit_at DESC NULLS LAST',
  data_limit: 'nullif(data_limit, 0)',
  '-used_traffic': 'used_traffic DESC',
  '-online_at': 'online_at DESC NULLS LAST',
};

const SEARCHES = {
  'one user': 'noor77777',
  'a name': 'maryam',
  'two letters': 'ol',
  'a note': 'ИВАН',
  everybody: PREFIX,
  nobody: 'zebra',
};

const list = (what, query, where, order, goal = 30, limit = 100) => ({
  what,
  path: `/api/users?limit=${limit}&${query}`,
  sql: [
    `SELECT count(*) FROM users WHERE ${where}`,
    `SELECT ${USER} FROM users WHERE ${where} ORDER BY ${order} LIMIT ${limit}`,
  ],
  goal,
});

/** The names of members that a screen shows; without credentials. */
const SLIM = 'fields=id,username,status,used_traffic,data_limit,expire,online_at,admin,group_ids,note';

/** A window deep in a list. Its plain SQL walks over all rows before it. */
const deep = (what, query, where, order, offset) => ({
  what,
  path: `/api/users?limit=100&offset=${offset}&${SLIM}&${query}`,
  sql: [
    `SELECT count(*) FROM users WHERE ${where}`,
    `SELECT ${USER} FROM users WHERE ${where} ORDER BY ${order} OFFSET ${offset} LIMIT 100`,
  ],
  goal: 30,
});

const found = (text) => `(lower(username) LIKE lower('%${text}%') OR lower(note) LIKE lower('%${text}%'))`;

const ALL_SORTS = { id: 'id', ...SORTS };
const sortOf = (sort) => (sort === 'id' ? '' : `sort=${sort}`);

/** The last rows of the list, which must not take longer than the first, and the middle, which is the slowest place. */
export const DEEP_READS = (users) => [
  list('users, first page', SLIM, 'true', 'id'),
  ...Object.entries(ALL_SORTS).flatMap(([sort, order]) => [
    deep(`last page, sort=${sort}`, sortOf(sort), 'true', `${order}, id`, users - 100),
    deep(`middle, sort=${sort}`, sortOf(sort), 'true', `${order}, id`, users / 2),
  ]),
  ...Object.entries(ALL_SORTS).map(([sort, order]) =>
    deep(
      `search, last page, sort=${sort}`,
      `search=${PREFIX}&${sortOf(sort)}`,
      found(PREFIX),
      `${order}, id`,
      users - 100,
    ),
  ),
  deep(
    'status, last page, sort=username',
    'status=active&sort=username',
    "status = 'active'",
    'username',
    users * 0.6 - 100,
  ),
  deep(
    'status, last page, sort=-used_traffic',
    'status=active&sort=-used_traffic',
    "status = 'active'",
    'used_traffic DESC, id',
    users * 0.6 - 100,
  ),
];

export const READS = [
  list('users, first page', '', 'true', 'id'),
  ...Object.entries(SORTS).map(([sort, order]) => list(`users, sort=${sort}`, `sort=${sort}`, 'true', `${order}, id`)),
  ...Object.entries(SEARCHES).map(([name, text]) =>
    list(`users, search for ${name}`, `search=${encodeURIComponent(text)}`, found(text), 'id'),
  ),
  list('users, search and sort', 'search=maryam&sort=-expire', found('maryam'), 'expire DESC, id DESC'),
  list('users, status and sort', 'status=limited&sort=-created_at', "status = 'limited'", 'created_at DESC, id DESC'),
  list('1,000 users with links', 'load_sub=true', 'true', 'id', 40, 1000),
  {
    what: 'groups with counts',
    path: '/api/groups',
    sql: ['SELECT groups.*, (SELECT count(*) FROM user_groups WHERE group_id = groups.id) FROM groups ORDER BY id'],
    goal: 30,
  },
  { what: 'hosts', path: '/api/hosts', sql: ['SELECT * FROM hosts ORDER BY priority, id'] },
  {
    what: 'system',
    path: '/api/system',
    sql: [
      'SELECT status, count(*) FROM users GROUP BY status',
      "SELECT count(*) FROM users WHERE online_at > now() - interval '2 minutes'",
    ],
  },
];

const bulk = (operation, sql) => ({
  what: `one group ${operation === 'add' ? 'for' : 'from'} all users`,
  path: `/api/groups/bulk/${operation}`,
  body: { group_ids: [GROUPS] },
  sql,
  goal: 3000,
});

/** Pairs of changes; the second one undoes the first. */
export const CHANGES = [
  bulk('add', `INSERT INTO user_groups SELECT id, ${GROUPS} FROM users`),
  bulk('remove', `DELETE FROM user_groups WHERE group_id = ${GROUPS}`),
];

export const TEMPLATE = { name: 'benchmark', group_ids: [1, 2, 3], data_limit: 2 ** 30, expire_duration: 86_400 };

export const CREATION = {
  what: '500 users from a template',
  path: '/api/users/bulk/from_template',
  body: (id) => ({ user_template_id: id, count: 500, strategy: 'random' }),
  sql: `INSERT INTO users (username) SELECT gen_random_uuid() FROM generate_series(1, 500)`,
  goal: 60,
};
