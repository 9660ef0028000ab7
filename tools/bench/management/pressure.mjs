// Measures the latency for others while one admin sends many changes at once.
import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { PREFIX } from './seed.mjs';

const CHANGES = 700;
const ADMIN = { username: 'hasty', password: randomUUID() };
const LIST = '/api/users?limit=100';
/** Number of requests without pressure; the 99th percentile needs many. */
const CALM_SAMPLES = 1000;
/** Seconds under pressure that are measured. */
const SECONDS = 20;
/** Milliseconds under pressure before the measurement, so that the code is compiled. */
const WARM_UP_MS = 3000;
/** Goal: maximum ratio of the 99th percentiles with and without pressure. */
export const MAX_SLOWDOWN = 5;

/** Returns rows with the figures with and without pressure, and the answers to the admin who sends the changes. */
export async function measurePressure({ service, database }) {
  const sender = await prepare(service, database);
  const token = await subscriptionToken(service);
  const requests = [
    { what: '/sub', path: `/sub/${token}/links_base64` },
    { what: 'users, first page', path: LIST },
  ];
  const lines = requests.map((one) => ({ ...one, line: service.another() }));
  try {
    await sample(lines, ({ count }) => count >= CALM_SAMPLES / 2);
    const calm = await sample(lines, ({ count }) => count >= CALM_SAMPLES);
    const child = fork(join(import.meta.dirname, 'pressure-client.mjs'), { env: { PATH: process.env.PATH } });
    child.send({ port: service.port, connections: CHANGES, ...sender });
    const began = performance.now();
    await sample(lines, () => performance.now() - began > WARM_UP_MS);
    const pressed = await sample(lines, () => performance.now() - began > WARM_UP_MS + SECONDS * 1000);
    child.send('end');
    const [answers] = await once(child, 'message');
    return { rows: requests.map(({ what }, index) => ({ what, calm: calm[index], pressed: pressed[index] })), answers };
  } finally {
    for (const { line } of lines) line.disconnect();
  }
}

/** Repeats all requests in parallel, each over its own connection; returns percentiles and the number of failures. */
function sample(lines, isOver) {
  return Promise.all(
    lines.map(async ({ line, path }) => {
      const times = [];
      let failures = 0;
      while (!isOver({ count: times.length })) {
        const began = performance.now();
        await line.call('GET', path).catch(() => {
          failures += 1;
        });
        times.push(performance.now() - began);
      }
      const sorted = times.toSorted((one, other) => one - other);
      const share = (part) => sorted[Math.ceil(sorted.length * part) - 1];
      return { p50: share(0.5), p99: share(0.99), worst: sorted.at(-1), failures };
    }),
  );
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

async function subscriptionToken(service) {
  const { text } = await service.call('GET', '/api/users?load_sub=true&limit=1&status=active');
  return JSON.parse(text).users[0].subscription_url.split('/').at(-1);
}
