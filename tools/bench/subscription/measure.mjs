import { withEnvironment } from '../management/environment.mjs';
import { CORE, HOSTS, TAGS } from './hosts.mjs';
import { withLoadClient } from './load-client-process.mjs';
import { cpuSeconds, residentMebibytes } from './process-figures.mjs';
import { REQUESTS } from './requests.mjs';

/** Number of answers before the measurement, so that the code is compiled and the database has its plans. */
const WARM_UP = 2000;
/** Pages per subscription of another format: apps fetch often, browsers rarely. */
const PAGE_SHARE = 0.03;
/** Number of measurements of memory. */
const STEPS = 12;
const PAGE = 1000;
const TURN_SECONDS = 0.5;

/** Returns the rows of the table. Each round measures every format and then the bare route with a body of the same size. */
export const measureFormats = (users, { seconds, rounds }) =>
  withEnvironment(users, async ({ service, bare, database }) => {
    await prepareHosts(service, database);
    return withLoadClient(await tokensOf(service, users), async (ask) => {
      const rows = REQUESTS.map((request) => ({ ...request, service: [], bare: [] }));
      for (const { path, headers } of REQUESTS) await ask({ port: service.port, path, headers, answers: WARM_UP });
      await ask({ port: bare.port, path: '/5000', answers: WARM_UP });
      for (let round = 0; round < rounds; round += 1) {
        for (const row of rows) {
          const { path, headers } = row;
          const own = await withCpuTime(service, () => ask({ port: service.port, path, headers, seconds }));
          const other = await withCpuTime(bare, () =>
            ask({ port: bare.port, path: `/${own.bytes}`, seconds: seconds / 2 }),
          );
          row.service.push(own);
          row.bare.push(other);
        }
      }
      return rows;
    });
  });

/**
 * Returns the rows of the table of pairs: every format of one management and of another with more settings, in turns of
 * half a second, so that whatever else the machine does hits both alike. Both are new: the service that prepared the data
 * has a larger heap, which costs every request some garbage collection.
 */
export const measurePairs = (users, { seconds, rounds, settings }) =>
  withEnvironment(users, async ({ service, startAnother, database }) => {
    await prepareHosts(service, database);
    const tokens = await tokensOf(service, users);
    const pair = { without: await startAnother({}), with: await startAnother(settings) };
    return withLoadClient(tokens, async (ask) => {
      const rows = REQUESTS.map((request) => ({ ...request, without: [], with: [] }));
      for (const { path, headers } of REQUESTS)
        for (const { port } of Object.values(pair)) await ask({ port, path, headers, answers: WARM_UP });
      for (let turn = 0; turn < rounds * seconds * 2; turn += 1) {
        const order = turn % 2 === 0 ? ['without', 'with'] : ['with', 'without'];
        for (const row of rows) {
          const { path, headers } = row;
          for (const name of order)
            row[name].push(
              await withCpuTime(pair[name], () => ask({ port: pair[name].port, path, headers, seconds: TURN_SECONDS })),
            );
        }
      }
      return rows;
    });
  });

/** Returns the rows of the table: the memory of management after each part of the requests. */
export const measureMemory = (users, answers) =>
  withEnvironment(users, async ({ service, database }) => {
    await prepareHosts(service, database);
    return withLoadClient(await tokensOf(service, users), async (ask) => {
      const rows = [];
      const answersPerStep = Math.ceil(answers / STEPS / (REQUESTS.length - 1 + PAGE_SHARE));
      let asked = 0;
      for (let step = 1; step <= STEPS; step += 1) {
        for (const { what, path, headers } of REQUESTS) {
          const part = what === 'page' ? Math.ceil(answersPerStep * PAGE_SHARE) : answersPerStep;
          await ask({ port: service.port, path, headers, answers: part });
          asked += part;
        }
        rows.push({ answers: asked, mebibytes: residentMebibytes(service.child.pid) });
      }
      return rows;
    });
  });

/** Adds the server's CPU milliseconds per answer, which depend less on other programs than times do. */
async function withCpuTime({ child }, work) {
  const before = cpuSeconds(child.pid);
  const figures = await work();
  return { ...figures, cpu: ((cpuSeconds(child.pid) - before) / figures.answers) * 1000 };
}

/** Replaces the hosts and the tags of the groups. All users have fetched before, as most users have. */
async function prepareHosts(service, database) {
  await database.query('DELETE FROM hosts');
  await service.call('PUT', '/api/core/1', CORE);
  await database.query('UPDATE groups SET inbound_tags = $1', [TAGS]);
  for (const host of HOSTS) await service.call('POST', '/api/host', host);
  await database.query(
    `INSERT INTO user_subscription_updates (user_id, user_agents, fetched_at)
     SELECT id, ARRAY['v2rayNG/1.10.5'], ARRAY[now()] FROM users`,
  );
  await database.query('VACUUM (ANALYZE)');
}

async function tokensOf(service, users) {
  const tokens = [];
  for (let offset = 0; offset < users; offset += PAGE) {
    const { text } = await service.call('GET', `/api/users?load_sub=true&limit=${PAGE}&offset=${offset}`);
    tokens.push(...JSON.parse(text).users.map((user) => user.subscription_url.split('/').at(-1)));
  }
  return tokens;
}
