// Measures the latency for others while one admin sends many changes at once, or a stranger many requests.
import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { PREFIX } from './seed.mjs';

const CHANGES = 700;
const STRANGERS = 300;
const ADMIN = { username: 'hasty', password: randomUUID() };
const LIST = '/api/users?limit=100';
/** Seconds without pressure that are measured. */
const CALM_SECONDS = 10;
/** Seconds under pressure that are measured. */
const SECONDS = 20;
/** Milliseconds before each measurement, so that the code is compiled. */
const WARM_UP_MS = 3000;
/** Goals: maximum ratio of the 99th percentiles with and without pressure, and milliseconds. */
export const GOALS = { slowdown: 3, p99: 100, worst: 150 };

/** Returns rows with the figures with and without pressure, and the answers to the admin who sends the changes. */
export async function measurePressure({ service, database }) {
  const { token, users } = await prepare(service, database);
  const own = await subscription(service, users[0]);
  const hasty = { authorization: `Bearer ${token}` };
  const requests = [
    { what: '/sub of a user who is changed', path: own },
    ...(await requestsOfOthers(service)),
    { what: 'users of the admin who changes', path: LIST, headers: hasty },
  ];
  return pressedBy(service, requests, 'pressure-client.mjs', { connections: CHANGES, token, users });
}

/** The same with 300 connections from another address that ask for subscriptions that do not exist. */
export const measureStrangers = async ({ service }) =>
  pressedBy(service, await requestsOfOthers(service), 'strangers-client.mjs', { connections: STRANGERS });

const requestsOfOthers = async (service) => [
  { what: '/sub of another user', path: await subscription(service) },
  { what: 'users, first page', path: LIST, headers: service.headers },
];

async function pressedBy(service, requests, client, message) {
  const observer = fork(join(import.meta.dirname, 'pressure-observer.mjs'), { env: { PATH: process.env.PATH } });
  const cut = async () => {
    observer.send('cut');
    const [figures] = await once(observer, 'message');
    return figures;
  };
  try {
    observer.send({ port: service.port, requests });
    await setTimeout(WARM_UP_MS);
    await cut();
    await setTimeout(CALM_SECONDS * 1000);
    const calm = await cut();
    const child = fork(join(import.meta.dirname, client), { env: { PATH: process.env.PATH } });
    const began = performance.now();
    child.send({ port: service.port, ...message });
    await setTimeout(WARM_UP_MS);
    await cut();
    await setTimeout(SECONDS * 1000);
    const pressed = await cut();
    child.send('end');
    const [answers] = await once(child, 'message');
    const seconds = (performance.now() - began) / 1000;
    return {
      rows: requests.map(({ what }, index) => ({ what, calm: calm[index], pressed: pressed[index] })),
      answers,
      answersPerSecond: Object.values(answers).reduce((sum, count) => sum + count, 0) / seconds,
    };
  } finally {
    observer.kill();
  }
}

async function prepare(service, database) {
  await service.call('POST', '/api/admin', { ...ADMIN, is_sudo: false });
  await database.query(
    `UPDATE users SET admin_id = (SELECT id FROM admins WHERE username = $1)
     WHERE id IN (SELECT id FROM users WHERE status = 'active' AND username LIKE $2 ORDER BY id DESC LIMIT $3)`,
    [ADMIN.username, `${PREFIX}%`, CHANGES],
  );
  const rows = await database.query(
    'SELECT username FROM users WHERE admin_id = (SELECT id FROM admins WHERE username = $1)',
    [ADMIN.username],
  );
  const { text } = await service.call('POST', '/api/admin/token', ADMIN);
  return { token: JSON.parse(text).access_token, users: rows.map(({ username }) => username) };
}

async function subscription(service, username) {
  const path = username === undefined ? '/api/users?load_sub=true&limit=1&status=active' : `/api/user/${username}`;
  const { text } = await service.call('GET', path);
  const answer = JSON.parse(text);
  const { subscription_url: url } = username === undefined ? answer.users[0] : answer;
  return `/sub/${url.split('/').at(-1)}/links_base64`;
}
